import { entropy, isKey, isPassword, isPlaceholder, mayBeSecret } from './judge.ts'
import type { NearRule } from './near.ts'

const strict = (value: string, quoted: boolean): boolean => isKey(value, quoted) || isPassword(value, { quoted: true, whole: false })

/** Letters and digits that are no word with a number behind it, no type and no version: what a document says of a column is none. */
const isMixedUp = (value: string): boolean => /\d/.test(value) && /[a-z]/i.test(value) && !/^v?[a-z]{0,12}[-_.]?[\d.]{0,6}$|[()[\]<>=]/i.test(value)

/** Passwords by what stands around them: in browsers, forms, databases, files and markup. */
export const passwordRules: readonly NearRule[] = [
  // What is typed in a browser
  {
    tag: 'password',
    near: 'password',
    around: [0, 240],
    pattern: /password[^\n]{0,60}?(?:\.(?:type|fill|send_keys|sendKeys|setValue|pressSequentially)\(|["'\]]{1,3},\s?)["'](?<quoted>[^"'\n]{4,100})["']\)/gi,
    accept: (value) => isPassword(value, { quoted: true, whole: false }) && /\d/.test(value) && /[a-z]/i.test(value),
  },
  // What mail and file servers are told
  {
    tag: 'password',
    near: 'pass |login ',
    around: [12, 240],
    pattern: /(?:-> |>>> |")PASS (?<quoted>[^\s"'\\]{4,100})|^\w{1,8} LOGIN [^\s"']{1,60} (?<bare>[^\s"']{4,100})$/gm,
    accept: (value) => mayBeSecret(value) && /\d/.test(value) && /[a-z]/i.test(value) && !/[/.]/.test(value),
  },
  { tag: 'password', near: 'wifi:', around: [1, 300], pattern: /\bWIFI:[^\n]{0,100}?P:(?<secret>[^;\s]{4,100});/g, accept: mayBeSecret },
  { tag: 'password', near: 'jdbc:oracle:', around: [1, 240], pattern: /\bjdbc:oracle:\w{1,10}:\w{1,60}\/(?<secret>[^\s"'@]{3,100})@/g, accept: mayBeSecret },
  {
    tag: 'key',
    near: 'mnemonic|seed|recovery',
    around: [1, 360],
    pattern: /\b(?:mnemonic|(?:seed|recovery)[ _-]?(?:phrase|words))["']?\s{0,4}[:=]\s{0,4}["']?(?<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})/gi,
  },
  // A row of a table: the name, and beside it the value
  {
    tag: 'password',
    near: 'pass|pwd|passphrase',
    around: [60, 320],
    pattern:
      /^[ \t]{0,20}\|[ \t]{0,20}[*`"]{0,3}[\w. -]{0,30}(?:password|passwd|passphrase|passcode|pwd)[*`":]{0,4}[ \t]{0,40}\|[ \t]{0,20}[*`"]{0,3}(?<secret>[^\s|`"*]{6,200})[*`"]{0,3}[ \t]{0,80}\|/gim,
    accept: (value) => isPassword(value, { quoted: true, whole: false }) && isMixedUp(value),
  },
  {
    tag: 'key',
    near: 'key|token|secret',
    around: [60, 460],
    pattern:
      /^[ \t]{0,20}\|[ \t]{0,20}[*`"]{0,3}[\w. -]{0,30}(?:api[ _-]?key|access[ _-]?key|secret[ _-]?key|token|secret)[*`":]{0,4}[ \t]{0,40}\|[ \t]{0,20}[*`"]{0,3}(?<secret>[^\s|`"*]{10,400})[*`"]{0,3}[ \t]{0,80}\|/gim,
    accept: (value) => isKey(value, true) && entropy(value) > 3,
  },
  // PASS is what tests say, too
  {
    tag: 'password',
    near: 'pass=',
    around: [30, 320],
    pattern: /(?:^[ \t]{0,8}|(?:^|[\s"'])(?:-e|--env|--build-arg|export|set|ENV|ARG)[ =]["']?)PASS=["']?(?<secret>[^\s"'`,;&|]{6,200})/gm,
    accept: (value) => mayBeSecret(value) && isMixedUp(value) && !/[/]|\.\w{1,4}$/.test(value),
  },
  // Forms
  {
    tag: 'password',
    near: 'pass|pwd|secret|token',
    around: [48, 800],
    pattern: /name="[\w.-]{0,40}(?:password|passwd|pwd|secret|token)"(?:\r?\n[^\n]{0,100}){0,3}?\r?\n\r?\n(?<secret>[^\r\n]{3,400})/gi,
    accept: mayBeSecret,
  },
  // Databases
  {
    tag: 'password',
    near: 'identified|password',
    around: [1, 360],
    pattern: /\b(?:IDENTIFIED(?: WITH \w{1,40})?(?: BY| AS)|PASSWORD)(?:\s{1,4}|\s{0,4}\(\s{0,4})(?:PASSWORD |VALUES )?["'](?<quoted>[^"'\n]{3,200})["']/gi,
    accept: (value) => mayBeSecret(value) && isPassword(value, { quoted: true, whole: true }),
  },
  {
    tag: 'password',
    near: 'set password',
    around: [1, 300],
    pattern: /\bSET PASSWORD\b[^;\n]{0,80}?(?:=|\bTO\b)\s{0,3}N?["'](?<quoted>[^"'\n]{4,200})["']/gi,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: 'identified by',
    around: [1, 160],
    pattern: /\bIDENTIFIED BY (?<secret>[^\s"'`;()]{4,100})(?=[ \t]{0,4}(?:;|$|ACCOUNT|DEFAULT|QUOTA|REPLACE))/gim,
    accept: (value) => mayBeSecret(value) && /\d/.test(value),
  },
  // Files
  {
    tag: 'password',
    near: 'machine',
    around: [1, 1000],
    pattern: /\bmachine\s{1,4}\S{1,200}\s{1,20}(?:login\s{1,4}\S{1,200}\s{1,20})?password\s{1,4}(?<secret>\S{1,400})/g,
    accept: (value) => !isPlaceholder(value),
  },
  {
    tag: 'password-hash',
    near: '$2|$5$|$6$|$1$|$apr1$|$y$|$argon2',
    around: [0, 300],
    pattern: /\$(?:2[aby]|5|6|1|apr1|y|argon2(?:id|i|d))\$[A-Za-z0-9./$=,+]{20,200}/g,
  },
  {
    tag: 'password-hash',
    near: '{sha|{ssha|{md5|{smd5|{crypt',
    around: [0, 240],
    pattern: /\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\}(?<secret>[A-Za-z0-9+/=$.]{16,200})/gi,
  },
  { tag: 'password', near: 'password:: ', around: [0, 420], pattern: /Password:: (?<secret>[A-Za-z0-9+/]{6,400}={0,2})/gi },
  {
    tag: 'auth',
    near: '"auth"',
    around: [0, 400],
    pattern: /"auth"\s{0,4}:\s{0,4}"(?<secret>[A-Za-z0-9+/]{8,4000}={0,2})"/g,
    accept: (value) => !/^[a-z]+$/i.test(value) && !isPlaceholder(value),
  },
  {
    tag: 'auth',
    near: '_auth|_password',
    around: [1, 400],
    pattern: /(?:^|[/:\s])_(?:auth|password)\s{0,4}=\s{0,4}["']?(?<secret>[A-Za-z0-9+/=_-]{6,4000})/gm,
    accept: mayBeSecret,
  },
  {
    tag: 'key',
    near: 'client-key-data|tls.key|ca.key|id_rsa',
    around: [1, 400],
    pattern: /\b(?:client-key-data|tls\.key|ca\.key|id_rsa)["']?\s{0,3}:\s{0,3}["']?(?<secret>[A-Za-z0-9+/]{40,12000}={0,2})/g,
  },
  // Markup
  {
    tag: 'password',
    near: 'pass|pwd',
    around: [86, 800],
    pattern: /<(?:[\w.-]{1,40}:)?(?<name>[\w.-]{0,40}(?:password|passwd|passphrase|pwd))(?:\s[^<>]{0,200})?>\s{0,40}(?<secret>[^<>\s]{3,400})\s{0,40}<\//gi,
    accept: (value) => mayBeSecret(value) || /^[a-z]{4,}$/.test(value),
  },
  {
    tag: 'key',
    near: 'secret|token|apikey|api-key|accesskey|access-key|privatekey|private-key',
    around: [86, 4500],
    pattern:
      /<(?:[\w.-]{1,40}:)?[\w.-]{0,40}(?:secret|token|api-?key|access-?key|private-?key|secret-?key)(?:\s[^<>]{0,200})?>\s{0,40}(?<secret>[^<>\s]{8,4000})\s{0,40}<\//gi,
    accept: strict,
  },
  {
    tag: 'password',
    near: 'password',
    around: [8, 460],
    pattern: /type=["']?password["']?[^<>]{0,200}?\svalue=["'](?<quoted>[^"'\n]{3,200})["']/gi,
    accept: mayBeSecret,
  },
  // PostgreSQL's password file: `host:port:database:user:password`
  {
    tag: 'password',
    near: ':0|:1|:2|:3|:4|:5|:6|:7|:8|:9|:*',
    around: [100, 330],
    // On a line of its own; in a sentence or in JSON with a port as databases have it, and names.
    pattern:
      /^[A-Za-z0-9.*-]{1,100}:(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,60}:[A-Za-z0-9_*.@-]{1,60}:(?<secret>[^\s:]{4,100})[ \t]*$|(?<![^\s"'`([])[A-Za-z0-9*][A-Za-z0-9.*-]{0,99}:(?:\d{4,5}|\*):(?:[A-Za-z_][\w-]{0,59}|\*):[A-Za-z_][\w.@-]{0,59}:(?<bare>[^\s:"'`<>,;)\]]{4,100})(?![^\s"'`,;)\]])/gm,
    accept: mayBeSecret,
  },
  // libpq: `host=db user=app password=… dbname=ledger`, where words are passwords too
  {
    tag: 'password',
    near: 'password=',
    around: [120, 420],
    pattern:
      /\bpassword=(?:(?<=(?<![\w-])(?:host|hostaddr|port|dbname|user|sslmode)=[^\s=]{1,60}(?: \w{1,20}=[^\s=]{0,60}){0,3} password=)(?<secret>[^\s"'`;&,$<{([]{4,200})|(?<bare>[^\s"'`;&,$<{([]{4,200})(?= (?:host|hostaddr|port|dbname|user|sslmode)=))/g,
    accept: (value) => mayBeSecret(value) && !/^[A-Z]+\d*$/.test(value),
  },
]
