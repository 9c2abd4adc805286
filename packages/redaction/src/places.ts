import type { RedactionRule } from '@precis/core'
import { aUuid, entropy, isKey, isPlaceholder, isScattered } from './judge.ts'
import type { NearRule } from './near.ts'

const header = (value: string): boolean =>
  !isPlaceholder(value) &&
  value.length >= 10 &&
  !/^AWS4-|token\d*$/i.test(value) &&
  (/\d/.test(value) || entropy(value) > 3.6) &&
  (!/^[a-z]+(?:[-_.][a-z]+)*$/i.test(value) || isScattered(value))
/** Small letters alone, and none of what stands in examples of a header. */
const isOfLetters = (value: string): boolean =>
  /^[a-z]{20,}$/.test(value) && entropy(value) > 3 && !/token|secret|access|auth|bearer|jwt|value|header|credential|here|key/.test(value)

/** Keys in base64 and in PuTTY's format. */
export const keyRules: readonly NearRule[] = [
  {
    tag: 'private-key',
    near: 'ls0tls1crudjti',
    around: [0, 400],
    pattern: /LS0tLS1CRUdJTi(?=[A-Za-z0-9+/]{0,80}UFJJVkFURSB|[A-Za-z0-9+/]{0,80}BSSVZBVEUg|[A-Za-z0-9+/]{0,80}QUklWQVRFI)[A-Za-z0-9+/=\s]{60,12000}/g,
  },
  {
    tag: 'private-key',
    near: 'private-lines: ',
    around: [1, 300],
    pattern: /\bPrivate-Lines: \d{1,3}\s{1,2}(?<secret>(?:[A-Za-z0-9+/=]{1,80}\s{1,2}){1,200})/g,
  },
]

/** Secrets that are known by the place where they stand: keys, headers, URLs, hooks, tokens with something in their middle. */
export const placeRules: readonly NearRule[] = [
  {
    tag: 'jwt',
    near: '.ey',
    around: [4002, 300],
    pattern: /(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{10,4000}\.ey[A-Za-z0-9_/-]{10,8000}(?:\.[A-Za-z0-9_/-]{0,4000}={0,2})?/g,
    accept: (value) => entropy(value) > 3,
  },
  { tag: 'jwt', near: 'zxlk', around: [1, 400], pattern: /(?<![A-Za-z0-9+/])ZXlK[A-Za-z0-9+/]{60,8000}={0,2}/g },
  {
    tag: 'credentials',
    near: '://',
    around: [0, 560],
    // The host may be a name of Docker's, a variable, or missing.
    pattern: /(?<=[a-z0-9]):\/\/[^\s:@/"'<>`]{0,80}:(?<secret>[^\s"'<>`{}$]{3,200})@(?=[\w[${%/][\w.:[\]${}%-]{0,250}(?:[/?#\s"'`,;)\\]|$))/gi,
    accept: isUrlPassword,
  },
  {
    tag: 'credentials',
    near: '@tcp(|@unix(|@cloudsql(',
    around: [290, 12],
    pattern: /(?<![^\s"'`=(])[\w.${}-]{1,80}:(?<secret>[^\s"'`<>{}$]{3,200})@(?:tcp|unix|cloudsql)\(/gi,
    accept: isUrlPassword,
  },
  {
    tag: 'credentials',
    near: '://',
    around: [6, 240],
    pattern: /\bhttps?:\/\/(?<secret>[A-Za-z0-9_-]{20,200}|[a-f0-9]{8}:[a-f0-9]{8})@[a-z0-9]/gi,
    accept: (value) => /\d/.test(value) && entropy(value) > 2.5 && !isPlaceholder(value),
  },
  {
    tag: 'authorization',
    near: 'bearer|basic|apikey|api-key|digest',
    around: [1, 400],
    pattern: /\b(?:bearer|basic|apikey|api-key|digest)[ \t]{1,3}(?<secret>[A-Za-z0-9+/_.~=-]{16,8000})/gi,
    accept: header,
  },
  {
    tag: 'authorization',
    near: 'authorization',
    around: [8, 400],
    pattern: /\b(?:proxy-)?authorization["'`\]]{0,2}\s{0,3}(?:[:=,]|=>)\s{0,3}["'`]?(?:[A-Za-z-]{3,12} )?(?<secret>[A-Za-z0-9+/_.~=:-]{8,8000})/gi,
    accept: (value) => header(value) || (isOfLetters(value) && !isPlaceholder(value)),
  },
  {
    tag: 'api-key',
    near: 'key|token|secret|auth|signature',
    around: [34, 400],
    pattern: /\bx-[a-z-]{0,30}(?:key|token|secret|auth|signature)["'`\]]{0,2}\s{0,3}(?:[:=,]|=>)\s{0,3}["'`]?(?<secret>[A-Za-z0-9+/_.~=@-]{8,4000})/gi,
    accept: header,
  },
  {
    tag: 'cookie',
    near: 'sess|sid=|jwt=|remember_',
    around: [0, 400],
    pattern: /(?:sess(?:ion)?(?:_?id)?|sid|jwt|remember_\w{1,20})=(?<secret>[A-Za-z0-9%+/_.~|:-]{16,4000})/gi,
    accept: (value) => header(value) && !aUuid.test(value) && isKey(value.replace(/[%|:]/g, ''), true),
  },
  {
    tag: 'webhook',
    near: 'hooks.slack.com',
    around: [0, 200],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9+/]{20,100})/g,
  },
  {
    tag: 'webhook',
    near: 'webhooks/',
    around: [36, 200],
    pattern: /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/(?<secret>\d{17,20}\/[A-Za-z0-9_-]{50,80})/g,
  },
  { tag: 'webhook', near: 'webhookb2/', around: [20, 400], pattern: /\.webhook\.office\.com\/webhookb2\/(?<secret>[A-Za-z0-9@/-]{60,300})/g },
  {
    tag: 'azure-key',
    near: 'accountkey=|accesskey=',
    around: [8, 400],
    pattern: /(?:AccountKey|SharedAccessKey|AccessKey)=(?<secret>[A-Za-z0-9+/]{30,100}={0,2})/gi,
  },
  { tag: 'azure-signature', near: 'sig=', around: [1, 300], pattern: /[?&;]sig=(?<secret>[A-Za-z0-9%+/]{30,120}(?:%3D|=){0,2})/g },
  { tag: 'signature', near: 'signature=', around: [1, 900], pattern: /[?&;]Signature=(?<secret>[A-Za-z0-9%+/_~-]{30,800}={0,2})/g },
  {
    tag: 'signature',
    near: 'x-amz-|x-goog-',
    around: [1, 400],
    pattern: /[?&]X-(?:Amz|Goog)-(?:Signature|Security-Token)=(?<secret>[A-Za-z0-9%+/_-]{30,4000})/gi,
  },
  {
    tag: 'aws-secret',
    near: 'aws',
    around: [0, 150],
    pattern: /aws.{0,20}?(?:secret|sk).{0,20}?[=: ]\s{0,3}["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
  },
  { tag: 'otp-secret', near: 'otpauth://', around: [0, 400], pattern: /otpauth:\/\/[^\s"']{1,200}?[?&]secret=(?<secret>[A-Za-z2-7]{16,128})/gi },
  { tag: 'gitlab-cookie', near: '_gitlab_session=', around: [0, 100], pattern: /_gitlab_session=(?<secret>[0-9a-z]{32})/g },
  { tag: 'telegram-token', near: ':a', around: [20, 40], pattern: /(?:(?<![A-Za-z0-9.:-])|\/bot)(?<secret>\d{8,16}:A[A-Za-z0-9_-]{34})(?![A-Za-z0-9_-])/g },
  {
    tag: 'vault-key',
    near: 'unseal key',
    around: [1, 120],
    pattern: /\bUnseal Key(?: \d{1,2})?(?: \([^()\n]{1,20}\))?:[ \t]{1,4}(?<secret>[A-Za-z0-9+/]{43,44}={0,2}|[a-f0-9]{64,66})(?![A-Za-z0-9+/=])/gi,
  },
  { tag: 'azure-secret', near: 'q~', around: [4, 40], pattern: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/g },
  // Tokens that are known by what stands in their middle
  { tag: 'mailchimp-key', near: '-us', around: [32, 8], pattern: /(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/g },
  { tag: 'maxmind-key', near: '_mmk', around: [36, 5], pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/g },
  { tag: 'terraform-token', near: '.atlasv1.', around: [14, 100], pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80}/g },
]

/** Tokens that are known by their shape alone: no word gives them away. */
export const shapeRules: readonly RedactionRule[] = [
  { tag: 'facebook-token', pattern: /(?<![A-Za-z0-9])\d{15,16}(?:\||%7C)[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g },
  { tag: 'discord-token', pattern: /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g },
]

/** `https://user:password@host`: what stands there in earnest. What begins like a port is one. */
function isUrlPassword(value: string): boolean {
  if (/^\d{1,5}(?:[/?#]|$)/.test(value)) return false
  return !isPlaceholder(value) && !/^(?:p|pw|pass|passwd|password|pwd|secret|token|x+|postgres|guest|root|\*+|%s|\.+|…)$/i.test(value)
}
