import { entropy, isKey, mayBeSecret } from './judge.ts'
import type { NearRule } from './near.ts'
import { isLabelled, isTold } from './told.ts'

/** A word with a number behind it, a number with a unit, `12-stellig`, `base64-encoded`: what people write in sentences. A long word with two digits is no such word. */
const isOrdinary = (value: string): boolean =>
  /^[a-z]{1,7}[-_.]?\d{0,4}$|^[a-z]+[-_.]?\d?$|^\d+\w{0,3}$|^(?:\d{1,3}|base\d\d|md5|sha-?\d{1,3}|utf-?8|pbkdf2|argon2\w{0,2})-\p{L}+$|[()[\]]/iu.test(value)
const said = (value: string): boolean => mayBeSecret(value) && /\d/.test(value) && /[a-z]/i.test(value) && !isOrdinary(value)
const strong = (value: string): boolean => said(value) && ((/[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!@#$%^&*]/.test(value))

const keyNames = ['api', 'access', 'secret', 'auth']
  .flatMap((kind) => ['', ' ', '-'].flatMap((between) => [`${kind}${between}key`, `${kind}${between}token`]))
  .join('|')

/** What a password is called in English, German (`Datenbankpasswort`), French, Spanish, Portuguese and Dutch. Italian says password. */
const foreign = String.raw`[a-z]{0,20}(?:passwort|kennwort)|mot de passe|contrase(?:ñ|n\u0303?)a|clave (?:de acceso|secreta)|senha|palavra-passe|[a-z]{0,20}wachtwoord`
const passwords = `password|passphrase|passcode|${foreign}`
const nearPasswords = 'password|passphrase|passcode|passwort|kennwort|mot de passe|contrase|clave |senha|palavra-passe|wachtwoord'
const secrets = '(?:pass(?:wd)?|pwd?) |(?:api key|access key|secret(?: key)?|token|credentials?)\\s{1,3}'
/** Of the database, `für den Server`, `d'accès`, `de la base de datos`. */
const ofWhat = String.raw` (?:d['’]|dell['’]|(?:for|of|to|on|für|der|des|vom|von|zum|zur|pour|de|du|del|para|da|do|di|per|voor|van) )[^\s:=]{1,24}(?: [^\s:=]{1,24}){0,3}?`
const is =
  '(?:is|was|ist|war|lautete?t?|heißt|est|était|es|era|[éè]|e[\\u0300\\u0301])(?: (?:now|set to|changed to|jetzt|nun|maintenant|désormais|ahora|agora|ora|nu))?'
const isNow =
  '(?:has been|was|were|got|fue|ha sido|a été|foi|è stata|werd) (?:(?:set|changed|reset|updated) to|(?:cambiada|changé|alterada|definid[ao]|cambiata|défini) (?:a|en|sur|por|para|in))'
const opening = '(?:["\'`“„]|«\\s?|\\*{1,2})?'
/** A value in a sentence, whose end is not that of the sentence. */
const value = '(?<secret>[^\\s"\'`“”„«»<>]{5,400}[^\\s"\'`“”„«»<>.,;:?)*])'

/** Secrets that people and programs tell in sentences. */
export const phraseRules: readonly NearRule[] = [
  {
    tag: 'password',
    near: nearPasswords,
    around: [24, 500],
    pattern: new RegExp(`\\b(?:${passwords})(?:${ofWhat})?\\s{1,3}(?:${is}|${isNow})(?:\\s?:)?\\s{1,3}${opening}${value}`, 'gi'),
    accept: isTold,
  },
  {
    tag: 'password',
    near: 'pass |passwd |pwd |pw |api key|access key|secret|token|credential',
    around: [1, 500],
    pattern: new RegExp(`\\b(?:${secrets})${is}(?:\\s?:)?\\s{1,3}${opening}${value}`, 'gi'),
    accept: said,
  },
  // … with password hunter2, mit dem Passwort …, avec le mot de passe …
  {
    tag: 'password',
    near: `passwd|${nearPasswords}`,
    around: [64, 450],
    pattern: new RegExp(
      `\\b(?:with|and|using|by|mit|und|avec|et|con|y|com|met|en)[ \\t](?:(?:the|an?|my|dem|das|meinem|le|la|el|sua|il|het) )?(?:[\\w-]{1,16} )?(?:passwd|${passwords})[ \\t]${opening}${value}`,
      'gi',
    ),
    accept: isTold,
  },
  // I set the root password to hunter2, das Passwort wurde auf … gesetzt
  {
    tag: 'password',
    near: nearPasswords,
    around: [70, 450],
    pattern: new RegExp(
      `\\b(?:set|chang(?:e|ed|ing)|reset|updat(?:e|ed|ing))\\b[^\\n.:;]{0,30}\\b(?:${passwords})(?:${ofWhat})? to ${opening}${value}|\\b(?:${passwords})(?:${ofWhat})?(?: wurde)? auf ${opening}${value.replace('secret', 'bare')}["“»]?(?= (?:zurück)?(?:ge(?:setzt|ändert|stellt)|fest))`,
      'gi',
    ),
    accept: isTold,
  },
  // A plain word behind a label inside a sentence, or in JSON: Kennwort: sonnenblume
  {
    tag: 'password',
    near: `pw:|pw :|${nearPasswords}`,
    around: [90, 120],
    pattern: new RegExp(
      `(?<![{(][^"'\\n]{0,60}|^[ \\t]{1,20})\\b(?:pw|${foreign})(?:${ofWhat})?\\s?:\\s{1,3}(?<secret>[a-z]{6,40})(?=["'“”«»,;)\\\\]|[.!]?[ \\t]{0,4}$|[.!]["' ])`,
      'gim',
    ),
    accept: isLabelled,
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
  // Zugangsdaten: admin / …
  {
    tag: 'password',
    near: 'cred|login|zugang|anmelde|identifiants|inloggegevens',
    around: [16, 260],
    pattern:
      /\b(?:credentials?|creds|(?:zugangs|anmelde)daten|login(?:daten)?|identifiants|credenciales|credenciais|credenziali|inloggegevens)(?: [^\s:]{1,20}){0,3}\s{0,2}:\s{0,2}["'`]?[\w.@-]{2,60}["'`]? {1,2}[/|] {1,2}["'`]?(?<secret>[^\s"'`<>|]{6,100})/gi,
    accept: (value) => strong(value) || isTold(value),
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
