import type { Finding, RedactionRule, SecretFinder } from '@precis/core'
import { aUuid, entropy, isKey, isPassword, isPlaceholder } from './judge.ts'
import type { Promised } from './names.ts'

const loose = (value: string): boolean => !isPlaceholder(value) && value.length >= 4 && !/^[a-z]{1,5}$/.test(value)
const strict = (value: string, quoted: boolean): boolean => isKey(value, quoted) || isPassword(value, { quoted: true, whole: false })
const header = (value: string): boolean =>
  !isPlaceholder(value) &&
  value.length >= 10 &&
  !/^AWS4-|token\d*$/i.test(value) &&
  (/\d/.test(value) || entropy(value) > 3.6) &&
  !/^[a-z]+(?:[-_.][a-z]+)*$/i.test(value)

/** Secrets that are known by the place where they stand. */
export const placeRules: readonly RedactionRule[] = [
  {
    tag: 'private-key',
    pattern: /LS0tLS1CRUdJTi(?=[A-Za-z0-9+/]{0,80}UFJJVkFURSB|[A-Za-z0-9+/]{0,80}BSSVZBVEUg|[A-Za-z0-9+/]{0,80}QUklWQVRFI)[A-Za-z0-9+/=\s]{60,12000}/g,
  },
  { tag: 'private-key', pattern: /\bPrivate-Lines: \d{1,3}\s{1,2}(?<secret>(?:[A-Za-z0-9+/=]{1,80}\s{1,2}){1,200})/g },
  {
    tag: 'jwt',
    pattern: /(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{10,4000}\.ey[A-Za-z0-9_/-]{10,8000}(?:\.[A-Za-z0-9_/-]{0,4000}={0,2})?/g,
    accept: (value) => entropy(value) > 3,
  },
  { tag: 'jwt', pattern: /(?<![A-Za-z0-9+/])ZXlK[A-Za-z0-9+/]{60,8000}={0,2}/g },
  {
    tag: 'credentials',
    pattern: /(?<=[a-z0-9]):\/\/[^\s:@/"'<>`{}$]{0,80}:(?<secret>[^\s"'<>`{}$]{3,200})@(?=[A-Za-z0-9[][A-Za-z0-9.:[\]-]{0,250}(?:[/?#\s"'`,;)\\]|$))/gi,
    accept: isUrlPassword,
  },
  {
    tag: 'credentials',
    pattern: /\bhttps?:\/\/(?<secret>[A-Za-z0-9_-]{20,200}|[a-f0-9]{8}:[a-f0-9]{8})@[a-z0-9]/gi,
    accept: (value) => /\d/.test(value) && entropy(value) > 2.5 && !isPlaceholder(value),
  },
  { tag: 'authorization', pattern: /\b(?:bearer|basic|apikey|api-key|digest)[ \t]{1,3}(?<secret>[A-Za-z0-9+/_.~=-]{16,8000})/gi, accept: header },
  {
    tag: 'authorization',
    pattern: /\b(?:proxy-)?authorization["'`\]]{0,2}\s{0,3}(?:[:=,]|=>)\s{0,3}["'`]?(?:[A-Za-z-]{3,12} )?(?<secret>[A-Za-z0-9+/_.~=:-]{8,8000})/gi,
    accept: header,
  },
  {
    tag: 'api-key',
    pattern: /\bx-[a-z-]{0,30}(?:key|token|secret|auth|signature)["'`\]]{0,2}\s{0,3}(?:[:=,]|=>)\s{0,3}["'`]?(?<secret>[A-Za-z0-9+/_.~=@-]{8,4000})/gi,
    accept: header,
  },
  {
    tag: 'cookie',
    pattern: /(?:sess(?:ion)?(?:_?id)?|sid|jwt|remember_\w{1,20})=(?<secret>[A-Za-z0-9%+/_.~|:-]{16,4000})/gi,
    accept: (value) => header(value) && !aUuid.test(value) && isKey(value.replace(/[%|:]/g, ''), true),
  },
  { tag: 'webhook', pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9+/]{20,100})/g },
  { tag: 'webhook', pattern: /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/(?<secret>\d{17,20}\/[A-Za-z0-9_-]{50,80})/g },
  { tag: 'webhook', pattern: /\.webhook\.office\.com\/webhookb2\/(?<secret>[A-Za-z0-9@/-]{60,300})/g },
  { tag: 'discord-token', pattern: /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g },
  { tag: 'telegram-token', pattern: /(?<![A-Za-z0-9.:-])\d{8,16}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])/g },
  { tag: 'facebook-token', pattern: /(?<![A-Za-z0-9])\d{15,16}(?:\||%7C)[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g },
  { tag: 'azure-secret', pattern: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/g },
  { tag: 'azure-key', pattern: /(?:AccountKey|SharedAccessKey|AccessKey)=(?<secret>[A-Za-z0-9+/]{30,100}={0,2})/gi },
  { tag: 'azure-signature', pattern: /[?&;]sig=(?<secret>[A-Za-z0-9%+/]{30,120}(?:%3D|=){0,2})/g },
  { tag: 'signature', pattern: /[?&]X-(?:Amz|Goog)-(?:Signature|Security-Token)=(?<secret>[A-Za-z0-9%+/_-]{30,4000})/gi },
  { tag: 'aws-secret', pattern: /aws.{0,20}?(?:secret|sk).{0,20}?[=: ]\s{0,3}["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi },
  { tag: 'otp-secret', pattern: /otpauth:\/\/[^\s"']{1,200}?[?&]secret=(?<secret>[A-Za-z2-7]{16,128})/gi },
  { tag: 'gitlab-cookie', pattern: /_gitlab_session=(?<secret>[0-9a-z]{32})/g },
  // Command lines
  {
    tag: 'password',
    pattern: /(?<=^|[\s"'])(?:-p(?=[^\s-]{0,40}\d)|-pass[ =])(?:["'])?(?<secret>[^\s"'$<>{}()|;&,\]]{6,100})/g,
    accept: (value) => isPassword(value, { quoted: false, whole: false }) && !/^[\d:.]+$/.test(value) && !/[/:]/.test(value),
  },
  {
    tag: 'password',
    pattern:
      /(?<![\w-])--?[a-z-]{0,30}(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|auth-?key|access-?key)(?:=|[ \t]{1,3})(?:["'](?<quoted>[^"'\n]{4,400})["']|(?<bare>[^\s"'<>|$(){}[\]&;,-][^\s"'<>|&;,]{5,400}))/gi,
    accept: (value) => loose(value) && /\d|[!@#%^&*]/.test(value) && !/^[a-z]+(?:[-_.][a-z]+)+$/i.test(value),
  },
  {
    tag: 'key',
    pattern:
      /\b(?:set|config)[ \t]{1,4}[\w./:@-]{0,100}(?:secret|token|password|passwd|key|auth)\w{0,20}[ \t]{1,4}["']?(?<secret>[^\s"'=<>$-][^\s"'<>]{5,400})/gi,
    accept: (value) => strict(value, true) && /[\d!@#%^&*]/.test(value),
  },
  {
    tag: 'password',
    pattern:
      /\b(?:log_?in|sign_?in|auth|authenticate|(?:HTTP)?Basic_?Auth|NetworkCredential|PasswordCredential|UsernamePassword\w{0,30}|Credentials?)\s?=?\s?\(\s?["'][^"'\n]{1,80}["'],\s?["'](?<quoted>[^"'\n]{4,200})["']/gi,
    accept: (value) => loose(value) && /\d|[!@#$%^&*]/.test(value),
  },
  { tag: 'password', pattern: /\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'](?<quoted>[^"'\n]{3,200})["']/gi, accept: loose },
  {
    tag: 'password',
    pattern: /\becho\s{1,3}(?:-n\s{1,3})?["']?(?<secret>[^\s"'|$]{6,400})["']?\s{0,3}\|[^|\n]{0,80}(?:sudo -S|--password-stdin|\bpasswd\b|--stdin)/g,
    accept: loose,
  },
  {
    tag: 'password',
    pattern:
      /^[ \t]{0,20}(?:[\w-]{1,30}[ \t]{1,3}){0,5}(?:requirepass|masterauth|community|[\w.-]{0,40}(?:password|passwd|secret|api_?key|token))[ \t]{1,3}(?:\d[ \t])?(?<secret>[^\s"'`(){}[\]<>=:;,]{6,400})(?:[ \t]{1,3}R[OW])?[ \t]*$/gim,
    accept: (value) => loose(value) && /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]+[-_.]?\d{0,4}$|[-_./].*[-_./]/i.test(value),
  },
  { tag: 'password', pattern: /\bjdbc:oracle:\w{1,10}:\w{1,60}\/(?<secret>[^\s"'@]{3,100})@/g, accept: loose },
  { tag: 'key', pattern: /\b(?:mnemonic|(?:seed|recovery)[ _-]?(?:phrase|words))["']?\s{0,4}[:=]\s{0,4}["']?(?<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})/gi },
  // Words
  {
    tag: 'password',
    pattern:
      /\b(?:pass(?:word|wd|phrase|code)|pwd|api key|access key|secret(?: key)?|token|credentials?)\s{1,3}(?:is|was|ist|est|es)(?: now| set to)?:?\s{1,3}["'`“]?(?<secret>[^\s"'`“”<>]{5,400}[^\s"'`“”<>.,;:!?)])/gi,
    accept: (value) => loose(value) && /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]+[-_.]?\d{0,4}$|^\d+\w{0,3}$|[()[\]]/i.test(value),
  },
  {
    tag: 'password',
    pattern: /name="[\w.-]{0,40}(?:password|passwd|pwd|secret|token)"(?:\r?\n[^\n]{0,100}){0,3}?\r?\n\r?\n(?<secret>[^\r\n]{3,400})/gi,
    accept: loose,
  },
  // Databases
  {
    tag: 'password',
    pattern: /\b(?:IDENTIFIED(?: WITH \w{1,40})?(?: BY| AS)|PASSWORD)(?:\s{1,4}|\s{0,4}\(\s{0,4})(?:PASSWORD |VALUES )?["'](?<quoted>[^"'\n]{3,200})["']/gi,
    accept: (value) => loose(value) && isPassword(value, { quoted: true, whole: true }),
  },
  // Files
  {
    tag: 'password',
    pattern: /\bmachine\s{1,4}\S{1,200}\s{1,20}(?:login\s{1,4}\S{1,200}\s{1,20})?password\s{1,4}(?<secret>\S{1,400})/g,
    accept: (value) => !isPlaceholder(value),
  },
  {
    tag: 'password',
    pattern: /^[A-Za-z0-9.*-]{1,100}:(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,60}:[A-Za-z0-9_*.@-]{1,60}:(?<secret>[^\s:]{4,100})[ \t]*$/gm,
    accept: loose,
  },
  { tag: 'password-hash', pattern: /\$(?:2[aby]|5|6|1|apr1|y|argon2(?:id|i|d))\$[A-Za-z0-9./$=,+]{20,200}/g },
  {
    tag: 'auth',
    pattern: /"auth"\s{0,4}:\s{0,4}"(?<secret>[A-Za-z0-9+/]{8,4000}={0,2})"/g,
    accept: (value) => !/^[a-z]+$/i.test(value) && !isPlaceholder(value),
  },
  { tag: 'auth', pattern: /(?:^|[/:\s])_(?:auth|password)\s{0,4}=\s{0,4}["']?(?<secret>[A-Za-z0-9+/=_-]{6,4000})/gm, accept: loose },
  { tag: 'key', pattern: /\b(?:client-key-data|tls\.key|ca\.key|id_rsa)["']?\s{0,3}:\s{0,3}["']?(?<secret>[A-Za-z0-9+/]{40,12000}={0,2})/g },
  // Markup
  {
    tag: 'password',
    pattern: /<(?:[\w.-]{1,40}:)?(?<name>[\w.-]{0,40}(?:password|passwd|passphrase|pwd))(?:\s[^<>]{0,200})?>\s{0,40}(?<secret>[^<>\s]{3,400})\s{0,40}<\//gi,
    accept: (value) => loose(value) || /^[a-z]{4,}$/.test(value),
  },
  {
    tag: 'key',
    pattern:
      /<(?:[\w.-]{1,40}:)?[\w.-]{0,40}(?:secret|token|api-?key|access-?key|private-?key|secret-?key)(?:\s[^<>]{0,200})?>\s{0,40}(?<secret>[^<>\s]{8,4000})\s{0,40}<\//gi,
    accept: strict,
  },
  { tag: 'password', pattern: /type=["']?password["']?[^<>]{0,200}?\svalue=["'](?<quoted>[^"'\n]{3,200})["']/gi, accept: loose },
]

interface Middle {
  readonly tag: string
  /** What stands in the middle, and all after it. */
  readonly from: RegExp
  /** What must stand before it, up to its end. */
  readonly before: RegExp
  /** Characters of that at most. */
  readonly longest: number
}

const middles: readonly Middle[] = [
  { tag: 'mailchimp-key', from: /-us\d{1,2}(?![A-Za-z0-9])/g, before: /(?<![A-Za-z0-9])[a-f0-9]{32}$/, longest: 33 },
  { tag: 'maxmind-key', from: /_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/g, before: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}$/, longest: 7 },
  { tag: 'terraform-token', from: /\.atlasv1\.[A-Za-z0-9_=-]{60,80}/g, before: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}$/, longest: 15 },
]

/** Tokens that are known by what stands in their middle. */
export const middleFinder: SecretFinder = {
  find: (text) =>
    middles.flatMap(({ tag, from, before, longest }) =>
      [...text.matchAll(from)].flatMap(({ 0: rest, index }) => {
        const head = before.exec(text.slice(Math.max(0, index - longest), index))
        return head === null ? [] : [{ start: index - head[0].length, end: index + rest.length, tag }]
      }),
    ),
}

/** `https://user:password@host`: what stands there in earnest. What begins like a port is one. */
function isUrlPassword(value: string): boolean {
  if (/^\d{1,5}(?:[/?#]|$)/.test(value)) return false
  return !isPlaceholder(value) && !/^(?:p|pw|pass|passwd|password|pwd|secret|token|x+|postgres|guest|root|\*+|%s|\.+|…)$/i.test(value)
}

/** Names beside their values: `name: DB_PASSWORD` with `value: …` below or beside it, in JSON, YAML, XML and Terraform. */
const pair =
  /(?:["']?(?:name|key|variable|header|id|field|type)["']?\s{0,4}[:=]\s{0,4}|\bvariable\s{1,4})(?<open>["']?)(?<name>[A-Za-z][\w.-]{2,80})\k<open>["',;\s/>{<-]{1,40}(?:type\s{0,4}=\s{0,4}\w{1,20}\s{1,40}|(?:description|sensitive)\s{0,4}[=:][^\n]{0,200}\n\s{0,40}){0,3}["']?(?:value|default|val|content|data)["']?\s{0,4}[:=>]\s{0,4}(?<quote>["']?)(?<secret>[^\s"'<>,{}]{4,4000})/gi

export function pairFinder(promises: (name: string) => Promised): SecretFinder {
  return {
    find(text) {
      const found: Finding[] = []
      for (const match of text.matchAll(pair)) {
        const { name = '', secret = '', quote = '' } = match.groups ?? {}
        const promised = promises(name)
        const accepted =
          promised === 'password' ? isPassword(secret, { quoted: quote !== '', whole: true }) : promised !== 'nothing' && isKey(secret, quote !== '')
        const end = match.index + match[0].length
        if (accepted) found.push({ start: end - secret.length, end, tag: promised === 'password' ? promised : 'key' })
      }
      return found
    },
  }
}
