import { entropy, isKey, mayBeSecret } from './judge.ts'
import type { NearRule } from './near.ts'

/** A word with a number behind it, a number with a unit, `12-stellig`, `base64-encoded`: what people write in sentences. A long word with two digits is no such word. */
const isOrdinary = (value: string): boolean =>
  /^[a-z]{1,7}[-_.]?\d{0,4}$|^[a-z]+[-_.]?\d?$|^\d+\w{0,3}$|^(?:\d{1,3}|base\d\d|md5|sha-?\d{1,3}|utf-?8|pbkdf2|argon2\w{0,2})-\p{L}+$|[()[\]]/iu.test(value)
const said = (value: string): boolean => mayBeSecret(value) && /\d/.test(value) && /[a-z]/i.test(value) && !isOrdinary(value)
const strong = (value: string): boolean => said(value) && ((/[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!@#$%^&*]/.test(value))

const keyNames = ['api', 'access', 'secret', 'auth']
  .flatMap((kind) => ['', ' ', '-'].flatMap((between) => [`${kind}${between}key`, `${kind}${between}token`]))
  .join('|')

/** What a secret is called in English, and a password in German (`Datenbankpasswort`), French, Spanish and Portuguese. Italian says password. */
const passwords = String.raw`password|passphrase|passcode|[a-z]{0,20}(?:passwort|kennwort)|mot de passe|contrase(?:ñ|n\u0303?)a|clave (?:de acceso|secreta)|senha|palavra-passe`
const secrets = 'pass(?:wd)?|pwd?|api key|access key|secret(?: key)?|token|credentials?'
/** Of the database, `für den Server`, `d'accès`. */
const ofWhat = String.raw` (?:d['’]|dell['’]|(?:for|of|to|on|für|der|des|vom|von|zum|zur|pour|de|du|del|para|da|do|di|per) )[^\s:=]{1,24}(?: [^\s:=]{1,24}){0,2}`
const is = '(?:is|was|ist|war|lautet|est|était|es|era|[éè]|e[\\u0300\\u0301])(?: (?:now|set to|jetzt|nun|maintenant|ahora|agora|ora))?'

/** Secrets that people and programs tell in sentences. */
export const phraseRules: readonly NearRule[] = [
  {
    tag: 'password',
    near: 'pass|pwd|pw |api key|access key|secret|token|credential|kennwort|contrase|clave |senha',
    around: [24, 500],
    pattern: new RegExp(
      `\\b(?:(?:${passwords})(?:${ofWhat})?|${secrets})\\s{1,3}${is}(?:\\s?:)?\\s{1,3}(?:["'\`“„]|«\\s?)?(?<secret>[^\\s"'\`“”„«»<>]{5,400}[^\\s"'\`“”„«»<>.,;:!?)])`,
      'gi',
    ),
    accept: said,
  },
  // … with password hunter2000
  {
    tag: 'password',
    near: 'pass',
    around: [16, 450],
    pattern: /\b(?:with|and|using|by)[ \t](?:the |a |my )?pass(?:word|wd|phrase|code)[ \t]["'`“]?(?<secret>[^\s"'`“”<>]{5,400}[^\s"'`“”<>.,;:!?)])/gi,
    accept: said,
  },
  // A temporary password is generated for root@localhost: …
  {
    tag: 'password',
    near: 'password |passphrase |pass |pwd |pw ',
    around: [1, 540],
    pattern: /\b(?:pass(?:word|phrase)?|pwd?) [^\n:"'`{}]{1,60}:[ \t]{1,3}["'`“]?(?<secret>[^\s"'`“”<>]{7,400}[^\s"'`“”<>.,;:!?)])[ \t]*$/gim,
    accept: strong,
  },
  // Use the following password: on the lines below
  {
    tag: 'password',
    near: 'password|passphrase',
    around: [1, 260],
    pattern: /\bpass(?:word|phrase)\b[^\n"'{}]{0,60}:[ \t]{0,3}(?:\r?\n){1,2}[ \t]{0,20}(?<secret>[A-Za-z0-9!@#$%^&*_+=.-]{12,100})[ \t]*$/gim,
    accept: (value) => isKey(value, true) && entropy(value) > 2.8,
  },
  // login: admin / …, creds: admin:…
  {
    tag: 'password',
    near: 'login|user|cred',
    around: [1, 260],
    pattern: /\b(?:login|user(?:name)?|credentials?|creds)\s{0,2}[:=]\s{0,2}["'`]?[\w.@-]{2,60}(?:["'`]? {1,2}\/ {1,2}["'`]?|:)(?<secret>[^\s"'`<>]{6,100})/gi,
    accept: strong,
  },
  // The API key that you asked for: …
  {
    tag: 'key',
    near: keyNames,
    around: [1, 500],
    pattern: /\b(?:api|access|secret|auth)[ -]?(?:key|token)\b[^\n:=→{}]{0,60}(?:[:=→]|->)[ \t]{1,3}["'`]?(?<secret>[A-Za-z0-9_./+=-]{16,400})/gi,
    accept: (value) => isKey(value, true) && entropy(value) > 3,
  },
]
