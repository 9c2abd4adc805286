import type { RedactionRule } from './redact.ts'

/** A token with a beginning of its own. `tail` is a class of characters with its bounds; nothing may follow that could belong to it. */
const token = (tag: string, beginning: string, tail: string): RedactionRule => ({
  tag,
  pattern: new RegExp(`(?<![A-Za-z0-9_/+-])(?:${beginning})${tail}(?![A-Za-z0-9_])`, 'g'),
})

const word = '[A-Za-z0-9]'
const base64url = '[A-Za-z0-9_-]'

/** Words that stand where a secret would, in documents and in code. */
const placeholder = new RegExp(
  [
    '^(?:true|false|null|nil|none|undefined|string|number|boolean|object|buffer|any|unknown|required|optional|hidden|redacted|masked)$',
    '^(?:secrets?|password|token|default|empty|invalid|missing|expired)$',
    '^[$<{(?\\[]|^%[a-z_]+%$|^![a-z]+$',
    '^(?:process|os|env|import|config|self|this|args|options|opts|req|request|ctx|context|settings|props|params|data|user|body|form|input|event|vault|secrets?|var|local|module|app)[.[]',
    'your[-_ ]?|example|placeholder|change[-_ ]?me|dummy|sample|redacted|x{4}|\\*{3}|\\.{3}|…|\\$\\{|\\{\\{|<[a-z]',
  ].join('|'),
  'i',
)

/** What stands behind `password =` in earnest. Unquoted words without a digit or a sign are names of variables. */
function isPassword(value: string, quoted: boolean): boolean {
  if (placeholder.test(value) || /[()]/.test(value)) return false
  return quoted
    ? !/^[a-z]+(?: [a-z]+)+$/i.test(value)
    : /[\d!@#$%^&*?~+]/.test(value) && !/^[\d.,]+$/.test(value) && !/^[a-z_$][\w$]*(?:[.][\w$]+)+$/i.test(value)
}

/** What stands behind `token =` or `api_key =` in earnest: long, with letters and digits, and no words. */
function isKey(value: string, quoted: boolean): boolean {
  if (!isPassword(value, quoted) || value.length < 12 || !/\d/.test(value) || !/[a-z]/i.test(value)) return false
  return !/^[a-z][a-z0-9]*(?:[-_./:][a-z0-9]+)+$/.test(value) || /[a-z]\d[a-z]\d|\d[a-z]\d[a-z]/.test(value)
}

/** `name = value` in any notation: code, JSON (escaped, too), YAML, environment, URL parameters, command lines. */
const assigned = (names: string): RegExp =>
  new RegExp(
    `(?:${names})(?:\\\\{0,7}["'])?\\]?(?:[ \\t]{0,3}(?::=|=>|[:=])[ \\t]{0,3}|[ \\t]{1,3}(?=["']))(?:(?<quote>\\\\{0,7}["'\`])(?<quoted>[^"'\`\\\\\\r\\n]{6,200})(?=\\\\{0,7}["'\`])|(?<bare>[^\\s"'\`,;&|\\[\\]{}<>\\\\]{6,200}))`,
    'gi',
  )

/** Secrets by their form: cloud keys, tokens of services, key files, addresses with credentials, headers, and whatever is called a password or a key. */
export const secretRules: readonly RedactionRule[] = [
  {
    tag: 'private-key',
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,8000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { tag: 'jwt', pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}/g },
  // Clouds
  token('aws-key', 'AKIA|ASIA|ABIA|ACCA', '[A-Z0-9]{16}'),
  { tag: 'aws-secret', pattern: /aws.{0,20}?(?:secret|sk).{0,20}?[=:]\s{0,3}["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi },
  token('google-key', 'AIza', '[A-Za-z0-9_-]{35}'),
  token('google-oauth', 'GOCSPX-|ya29\\.', `${base64url}{20,300}`),
  { tag: 'azure-key', pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/g },
  { tag: 'azure-signature', pattern: /[?&;]sig=(?<secret>[A-Za-z0-9%+/]{30,120}(?:%3D|=){0,2})/g },
  token('digitalocean-token', 'do[opr]_v1_', '[a-f0-9]{64}'),
  token('vault-token', 'hv[sbr]\\.', `${base64url}{24,200}`),
  token('terraform-token', `${word}{14}\\.atlasv1\\.`, `${base64url}{60,80}`),
  token('databricks-token', 'dapi', '[a-f0-9]{32}(?:-\\d)?'),
  // Code and packages
  token('github-token', 'gh[pousr]_', `${word}{36,255}`),
  token('github-token', 'github_pat_', '[A-Za-z0-9_]{50,255}'),
  token('gitlab-token', 'gl(?:pat|dt|rt|soat|ptt|ft|imt|agent|cbt)-', `${base64url}{20,64}`),
  token('npm-token', 'npm_', `${word}{36}`),
  token('pypi-token', 'pypi-AgE', `${base64url}{40,300}`),
  token('docker-token', 'dckr_(?:pat|oat)_', `${base64url}{20,64}`),
  token('atlassian-token', 'ATATT3', `[A-Za-z0-9_=-]{50,250}`),
  token('postman-key', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'),
  token('linear-key', 'lin_(?:api|oauth)_', `${word}{32,64}`),
  token('notion-token', 'ntn_', `${word}{40,60}`),
  token('doppler-token', 'dp\\.(?:pt|st|ct|sa|scim)\\.', `[A-Za-z0-9_.-]{40,90}`),
  token('sentry-token', 'sntry[su]_', '[A-Za-z0-9_+/=-]{40,300}'),
  token('newrelic-key', 'NRAK-', '[A-Z0-9]{27}'),
  token('grafana-token', 'gl(?:sa|c)_', '[A-Za-z0-9_+/=-]{32,200}'),
  token('age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}'),
  // Models
  token('api-key', 'sk-(?:ant-[a-z0-9]{3,8}-|proj-|svcacct-|admin-|or-v1-|lf-)', `${base64url}{20,250}`),
  { tag: 'api-key', pattern: /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,64}(?![A-Za-z0-9_-])/g },
  token('huggingface-token', 'hf_|api_org_', '[A-Za-z]{34}'),
  token('replicate-token', 'r8_', `${word}{37}`),
  token('groq-key', 'gsk_', `${word}{48,56}`),
  token('xai-key', 'xai-', `${word}{60,100}`),
  token('perplexity-key', 'pplx-', `${word}{40,60}`),
  // Messages and money
  token('slack-token', 'xox[abeoprs]-|xapp-\\d-', '[A-Za-z0-9-]{20,250}'),
  { tag: 'webhook', pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9+/]{20,100})/g },
  { tag: 'webhook', pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{17,20}\/[A-Za-z0-9_-]{60,80})/g },
  { tag: 'discord-token', pattern: /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g },
  { tag: 'telegram-token', pattern: /(?<![A-Za-z0-9_.:-])\d{8,10}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])/g },
  token('stripe-key', '(?:sk|rk)_(?:live|test|prod)_', `${word}{16,250}`),
  token('webhook-secret', 'whsec_', '[A-Za-z0-9+/=]{24,80}'),
  token('square-token', 'sq0(?:atp|csp)-|EAAA', `${base64url}{22,80}`),
  token('shopify-token', 'shp(?:at|ca|pa|ss)_', '[a-fA-F0-9]{32}'),
  token('sendgrid-key', 'SG\\.', `${base64url}{16,32}\\.${base64url}{30,64}`),
  token('mailgun-key', 'key-', '[a-f0-9]{32}'),
  token('mailchimp-key', '[a-f0-9]{32}-us', '\\d{1,2}'),
  token('twilio-key', 'SK|AC', '[a-f0-9]{32}'),
  // Where they are written down
  { tag: 'credentials', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>`]{0,80}:(?<secret>[^\s@/"'<>`[{$]{3,200})@(?=[A-Za-z0-9[])/gi },
  {
    tag: 'authorization',
    pattern:
      /\b(?:proxy-)?authorization(?:\\{0,7}["'])?\]?\s{0,3}(?:[:=,]|=>)\s{0,3}(?:\\{0,7}["'`])?(?:bearer |basic |token |digest |apikey |api-key )?(?<secret>[A-Za-z0-9+/_.~=-]{12,4000})/gi,
    accept: isHeader,
  },
  { tag: 'authorization', pattern: /\b(?:bearer|basic) (?<secret>[A-Za-z0-9+/_.~-]{20,4000}={0,2})/gi, accept: isHeader },
  {
    tag: 'api-key',
    pattern:
      /\bx-(?:api|auth|access|secret|functions)-?(?:key|token)(?:\\{0,7}["'])?\s{0,3}[:=,]\s{0,3}(?:\\{0,7}["'`])?(?<secret>[A-Za-z0-9+/_.~=-]{12,400})/gi,
    accept: isHeader,
  },
  {
    tag: 'cookie',
    pattern: /\b(?:session(?:_?id)?|sid|connect\.sid|auth|jsessionid|phpsessid|remember_token|csrftoken)=(?<secret>[A-Za-z0-9%+/_.~-]{16,400})/gi,
    accept: isHeader,
  },
  { tag: 'password', pattern: assigned('password|passwd|passphrase|passwort|_pwd|\\bpwd|_pass|\\bpass'), accept: isPassword },
  {
    tag: 'password',
    pattern: /(?<![\w-])(?:--password[= ]|-p(?=[^\s-]{0,40}\d)|sshpass -p ?)(?:["'])?(?<secret>[^\s"'$<>{}()|;&,\]]{6,100})/g,
    accept: (value) => isPassword(value, false) && !/^[\d:.]+$/.test(value) && !/[/:]/.test(value),
  },
  {
    tag: 'key',
    pattern: assigned(
      'api[_-]?key|app[_-]?key|secret|(?:access|auth|refresh|session|bearer|id|api|bot|user|client|deploy|personal|csrf|_|\\b)[_-]?token|(?:secret|private|encryption|signing|master|account|shared|access|license|client|webhook)[_-]?key|credentials?',
    ),
    accept: isKey,
  },
  { tag: 'card', pattern: /(?<![\d.-])(?:\d[ -]?){12,18}\d(?!\d|[ .-]\d)/g, accept: isCard },
]

/** A header's value in earnest: not a variable's name, and with something in it that words have not. */
function isHeader(value: string): boolean {
  return !placeholder.test(value) && (/\d/.test(value) ? !/^[\d.]+$/.test(value) : /^[a-z]{16,}$/.test(value))
}

/** Numbers of payment cards: by their first digits, their length, and Luhn's check digit; written in fours, or without a space. */
function isCard(value: string): boolean {
  const digits = value.replace(/\D/g, '')
  const issuer =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12})$/
  if (!issuer.test(digits) || /^(\d)\1+$/.test(digits)) return false
  const groups = value.split(/[ -]/).map((group) => group.length)
  if (groups.length > 1 && groups.join() !== '4,4,4,4' && groups.join() !== '4,6,5' && groups.join() !== '4,6,4') return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** What tells people apart: e-mail addresses, telephone numbers in international or North American writing, social security numbers, bank accounts (IBAN). Not switched on by default: agents work with names. */
export const personalRules: readonly RedactionRule[] = [
  {
    tag: 'email',
    pattern:
      /(?<![A-Za-z0-9._%+-])[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9])?@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,62}){0,4}\.[A-Za-z]{2,24}(?![A-Za-z0-9-])/g,
    accept: (value) => !/@(?:example|test|localhost|invalid)\b|^git@|^npm@|@\d+\.\d+|\.(?:js|ts|py|png|jpg|svg|css|json|md)$|noreply|no-reply/i.test(value),
  },
  {
    tag: 'phone',
    pattern: /(?<![\w.+/-])\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]?\d{2,4}){1,4}(?![\w-])/g,
    accept: (value) => /^.{0,3}(?:\D*\d){9,15}\D*$/.test(value),
  },
  { tag: 'phone', pattern: /(?<![\w.+/-])(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4}(?![\w.-]\d|\w)/g },
  { tag: 'ssn', pattern: /(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g },
  { tag: 'iban', pattern: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g, accept: isIban },
]

function isIban(value: string): boolean {
  const compact = value.replaceAll(' ', '')
  if (compact.length < 15 || compact.length > 34) return false
  let rest = 0
  for (const letter of compact.slice(4) + compact.slice(0, 4)) for (const digit of String(Number.parseInt(letter, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}
