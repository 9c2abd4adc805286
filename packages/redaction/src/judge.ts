/** Words that stand where a secret would, in documents and in code. */
const placeholders = new RegExp(
  [
    '^(?:true|false|null|nil|none|undefined|string|str|text|number|int|boolean|bool|object|buffer|bytes?|any|unknown|void|required|optional|hidden|redacted|masked|plain|prompt|file|env|disabled|enabled|function|varchar|symbol|never|promise|record|array|list|map)[?\\]]*$',
    '^(?:secrets?|passwords?|passwd|passphrase|pass|pwd|pw|tokens?|keys?|api[-_]?keys?|bearer|basic|default|empty|invalid|missing|expired|user(?:name)?|login|value|test(?:ing)?|admin|root|guest|foo(?:bar)?|bar|baz|abc|abcdef|asdf|qwerty)$',
    '^#\\{|^\\+\\+|^--|^[.]{1,2}/|^[)]',
    '^(?:process|os|env|import|config|self|this|args|options|opts|req|request|ctx|context|settings|props|params|data|user|body|form|input|event|vault|secrets?|var|local|module|app|new|await|async|return|typeof|function|require|get|String|Buffer|System|std|fmt|errors?|err|res|response|result|state|store|session|self|cfg|conf|cls|super|obj|item|node|window|document|ENV)[.[(]',
    'your[-_ ]?|example|placeholder|change[-_ ]?(?:me|it)|dummy|sample|redacted|x{4}|\\*{3}|\\.{3}|…|\\$\\{|\\$\\(|\\{\\{|<[a-z]|insert[-_ ]|replace[-_ ]?(?:me|with)|todo|fake|mock|not[-_]?a?[-_]?real|lorem|0123456789|123456789|abcdefgh|(.)\\1{5}',
  ].join('|'),
  'i',
)
/** Signs that begin a variable, a reference, a type or a pattern where no quotes stand around. */
const signs = /^[$<{(?@&[]|^%[A-Za-z_(][^%]*%?|^![a-z]+|^[*]/i
/** What is such a thing in quotes, too: a password may begin with any sign. */
const references =
  /^\$\{?[A-Z_][A-Z0-9_]*\}?$|^\$[A-Za-z_]+\d?(?:(?:[.:[]|->)[^\s!@#%^&*]*)?$|^<.*>$|^%[\w.]+%?$|^%[a-z](?:\W|$)|^%\([\w.]+\)[a-z]$|^@[A-Za-z_]+(?:[/:.][\w./-]*)?$|^&[A-Za-z_]+;?$|^&[a-z#]\w{0,8};|^\([^()]*\)$|^\{.*\}$|^\[.*\]$|^\?\W*\w{0,3}$|^\*\D*$|^![A-Za-z]+(?: [\w./-]+)?$/

export function isPlaceholder(value: string, quoted = false): boolean {
  return placeholders.test(value) || (quoted ? references : signs).test(value)
}

/** What a place says is a secret, and nothing speaks against it. */
export function mayBeSecret(value: string): boolean {
  return !isPlaceholder(value) && value.length >= 4 && !/^[a-z]{1,5}$/.test(value)
}

/** Bits per character by the frequency of characters: 0 for one character, 4 for even hexadecimal digits, about 5 for letters and digits at random. */
export function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

/** Names of types, and values looked up in others. */
export const typeOrCode: RegExp = /^[a-z_$][\w$]*(?:(?:[?!]?[.]|::|->)[\w$]+)+(?:\(\)?)?$|^(?:u?int|float|i|u|f)(?:8|16|32|64|128)(?:_t|Array)?$|^Uint8Array$/i
/** Numbers in hexadecimal, and versions. */
const numbers = /^-?0x[0-9a-f]{1,8}$|^[v^~=<>]{0,2}\d{1,4}(?:\.\d{1,6}){1,3}(?:-[a-z]{1,8}[.\d]{0,8})?$/i

/** What stands behind a name that says password. Short ones and words count, where it cannot be code. */
export function isPassword(value: string, { quoted, whole }: { readonly quoted: boolean; readonly whole: boolean }): boolean {
  if (value.length < 4 || value.length > 500 || numbers.test(value) || isPlaceholder(value, quoted)) return false
  const marked = /[\d!@#$%^&*?~+|=]/.test(value)
  if (/[()]/.test(value) && !(quoted && marked && !/\s/.test(value))) return false
  if (quoted) {
    // A sentence is a label; a phrase with signs of its own is not.
    if (/\s/.test(value)) return marked && !/^[A-Z]?[a-z']+(?:[ ,.:;!?-]+[A-Za-z'0-9]+)*[ .:!?…]*$/.test(value) && value.split(/\s/).length <= 4
    if (marked) return true
    // Names of things: `passwordField`, `new-password`, `auth.password`, `Password`.
    return value.length >= 6 && /^[a-z]+$/.test(value) && !/pass|pwd|secret|hash|crypt|confirm|field|input/.test(value)
  }
  if (typeOrCode.test(value) || /^[\d.,:]+$/.test(value) || /[{}[\]<>]/.test(value)) return false
  if (marked)
    return !/^\d+(?:px|em|ms|s|%)?$/.test(value) && !/^[a-z]+\d?$/i.test(value.replace(/[?!*&|=+]+/g, ''))
      ? true
      : /\d/.test(value) && (whole || value.length >= 7)
  return whole && value.length >= 6 && /^[a-z-]+$/.test(value)
}

/** What stands behind a name that says key, token or secret: long, mixed, and no words. */
export function isKey(value: string, quoted: boolean): boolean {
  if (value.length < 10 || value.length > 4_000 || numbers.test(value) || isPlaceholder(value, quoted)) return false
  if (/[\s()]/.test(value)) return quoted && isSalt(value)
  if (!/[a-z]/i.test(value) || (!/\d/.test(value) && !isScattered(value))) return false
  if (/^(?:https?|file|wss?|data|sha\d+|urn|arn):|^[./~]|\.(?:js|ts|json|ya?ml|py|go|pem|key|txt|md|html?|css|png|svg)$/i.test(value)) return false
  if (!quoted && typeOrCode.test(value)) return false
  return isMixed(value)
}

/** 64 characters of all kinds, blanks among them: the salts of WordPress. */
function isSalt(value: string): boolean {
  return value.length === 64 && /\d/.test(value) && (value.match(/[^\w\s]/g)?.length ?? 0) >= 4 && entropy(value) > 4.5
}

/** What tells runs and requests apart is seldom a secret, except under a name that says so. */
export const aUuid: RegExp = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** Whether a text looks thrown together: names, versions and words do not. */
function isMixed(value: string): boolean {
  const parts = value.split(/[-_./:=+]/).filter((part) => part !== '')
  // Words and small numbers with signs between them are a name, whatever their length.
  const strange = parts.filter((part) => part.length >= 6 && changes(part) >= 2).reduce((sum, part) => sum + part.length, 0)
  if (parts.length > 1 && strange < 12 && strange < value.length * 0.6) return false
  if (parts.length === 1 && changes(value) < (value.length >= 16 ? 3 : 2) && !isScattered(value)) return false
  return entropy(value) >= (value.length >= 30 ? 3 : value.length >= 16 ? 2.9 : 2.7)
}

/** Letters of both cases as they fall: in words that were joined most stand in a row of small ones, in abbreviations in a row of large ones. */
export function isScattered(value: string): boolean {
  if (value.length < 16 || !/^[A-Za-z0-9]+$/.test(value) || (value.match(/[A-Z]/g)?.length ?? 0) < 4) return false
  const [joined, rows] = [value.replace(/[a-z]{2,}/g, ''), value.match(/[a-z]+|[A-Z]+|\d+/g) ?? []]
  return value.length - joined.length < value.length * 0.5 && rows.length > value.length * 0.45
}

/** How often letters and digits take turns. */
function changes(text: string): number {
  let count = 0
  for (let at = 1; at < text.length; at++) if (isDigit(text.charCodeAt(at)) !== isDigit(text.charCodeAt(at - 1))) count++
  return count
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
