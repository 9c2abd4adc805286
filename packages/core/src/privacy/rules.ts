import type { RedactionRule } from './redactor.ts'

/** Characters beyond which no match goes. */
const longest = 16_384

/** A token with a beginning of its own. `tail` is a class of characters with its bounds; nothing may follow that could belong to it. */
const token = (tag: string, beginning: string, tail: string): RedactionRule => ({
  tag,
  longest,
  pattern: new RegExp(`(?<![A-Za-z0-9])(?:${beginning})${tail}(?![A-Za-z0-9_])`, 'g'),
})

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

/** `name = value` in any notation: code, JSON (escaped, too; with the value as `"value"` beside the name or below it), YAML, environment, URL parameters, command lines. */
const assigned = (names: string): RegExp =>
  new RegExp(
    `(?:${names})(?:\\\\{0,7}["'])?\\]?(?:[ \\t]{0,3}(?::=|=>|[:=])[ \\t]{0,3}|[ \\t]{1,3}(?=["'])|[,:]\\s{0,99}{?\\s{0,99}"value"\\s?:\\s?)(?:(?<quote>\\\\{0,7}["'\`])(?<quoted>[^"'\`\\\\\\r\\n]{6,200})(?=\\\\{0,7}["'\`])|(?<bare>[^\\s"'\`,;&|\\[\\]{}<>\\\\]{6,200}))`,
    'gi',
  )

/** A small set for the commonest secrets: key files, tokens that everybody has, addresses and headers with credentials, and whatever is called a password or a key. `@precis/redaction` knows hundreds of formats more. */
export const secretRules: readonly RedactionRule[] = [
  {
    tag: 'private-key',
    longest,
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,8000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { tag: 'jwt', longest, pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}/g },
  token('aws-key', 'A(?:[KSB]I|CC)A', '[A-Z0-9]{16}'),
  token('github-token', 'gh[pousr]_|github_pat_', '\\w{36,255}'),
  token('api-key', 'sk-(?:ant|proj|svcacct|admin|or)-', '[\\w-]{20,250}'),
  // Short beginnings stand in paths and names, too: /sk-contact-2024.
  token('api-key', '(?<![_/+-])(?:[sr]k[_-]|npm_|hf_)|AIza|glpat-|xox[a-z]-', '(?=[\\w-]{0,60}\\d)[\\w-]{20,250}'),
  // Where they are written down
  { tag: 'credentials', longest, pattern: /:\/\/(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s:@/"'<>`]{0,80}:(?<secret>[^\s@/"'<>`[{$]{3,200})@(?=[\w[${%/])/gi },
  {
    tag: 'authorization',
    longest,
    pattern:
      /\b(?:proxy-)?authorization(?:\\{0,7}["'])?\]?\s{0,3}(?:[:=,]|=>)\s{0,3}(?:\\{0,7}["'`])?(?:bearer |basic |token |digest |apikey |api-key )?(?<secret>[A-Za-z0-9+/_.~=-]{12,4000})/gi,
    accept: isHeader,
  },
  { tag: 'authorization', longest, pattern: /\b(?:bearer|basic) (?<secret>[A-Za-z0-9+/_.~-]{20,4000}={0,2})/gi, accept: isHeader },
  { tag: 'password', longest, pattern: assigned('passwords?|passwd|passphrase|passwort|_pwd|\\bpwd|_pass|\\bpass'), accept: isPassword },
  {
    tag: 'key',
    longest,
    // What stands before them is looked at behind them: few words end so, many begin so.
    pattern: assigned(
      'key(?<=(?:api|app|secret|private|encryption|signing|master|account|shared|access|license|client|webhook)[_-]?key)|secret|token(?<=(?:access|auth|refresh|session|bearer|id|api|bot|user|client|deploy|personal|csrf|_|\\b)[_-]?token)|credentials?|[?&;-]sig(?:nature)?',
    ),
    accept: isKey,
  },
]

/** A header's value in earnest: not a variable's name, and with something in it that words have not. */
function isHeader(value: string): boolean {
  return !placeholder.test(value) && (/\d/.test(value) ? !/^[\d.]+$/.test(value) : /^[a-z]{16,}$/.test(value))
}

/** How people are reached: e-mail addresses, telephone numbers in international or North American writing. */
export const personalRules: readonly RedactionRule[] = [
  {
    tag: 'email',
    longest,
    pattern:
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_](?:[\p{L}\p{N}._%+'-]{0,62}[\p{L}\p{N}_+-])?@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}-]{1,62}){0,4}\.\p{L}{2,24}(?![\p{L}\p{N}-])/gu,
    // Addresses of programs, scoped packages with their version, and names of files.
    accept: (value) => !/^git@|^npm@|@\d+\.\d+|\.(?:js|ts|py|png|jpg|svg|css|json|md)$|^no-?reply@/i.test(value),
  },
  {
    tag: 'phone',
    longest,
    pattern: /(?<![\w.+/-])\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]?\d{2,4}){1,4}(?![\w-])/g,
    accept: (value) => /^.{0,3}(?:\D*\d){9,15}\D*$/.test(value),
  },
  { tag: 'phone', longest, pattern: /(?<![\w.+/-])(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4}(?![\w.-]\d|\w)/g },
]
