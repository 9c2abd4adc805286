import { isKey, isPassword, isPlaceholder, mayBeSecret } from './judge.ts'
import type { NearRule } from './near.ts'

const strict = (value: string, quoted: boolean): boolean => isKey(value, quoted) || isPassword(value, { quoted: true, whole: false })

/** Passwords by the words around them: on command lines, in sentences, databases, files and markup. */
export const passwordRules: readonly NearRule[] = [
  // Command lines
  {
    tag: 'password',
    near: '-p',
    around: [0, 120],
    pattern: /(?<=^|[\s"'])(?:-p(?=[^\s-]{0,40}\d)|-pass[ =])(?:["'])?(?<secret>[^\s"'$<>{}()|;&,\]]{6,100})/g,
    accept: (value) => isPassword(value, { quoted: false, whole: false }) && !/^[\d:.]+$/.test(value) && !/[/:]/.test(value),
  },
  {
    tag: 'password',
    near: 'pass|pwd|token|secret|apikey|api-key|authkey|auth-key|accesskey|access-key',
    around: [34, 450],
    pattern:
      /(?<![\w-])--?[a-z-]{0,30}(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|auth-?key|access-?key)(?:=|[ \t]{1,3})(?:["'](?<quoted>[^"'\n]{4,400})["']|(?<bare>[^\s"'<>|$(){}[\]&;,-][^\s"'<>|&;,]{5,400}))/gi,
    accept: (value) => mayBeSecret(value) && /\d|[!@#%^&*]/.test(value) && !/^[a-z]+(?:[-_.][a-z]+)+$/i.test(value),
  },
  {
    tag: 'key',
    near: 'secret|token|pass|key|auth',
    around: [120, 450],
    pattern:
      /\b(?:set|config)[ \t]{1,4}[\w./:@-]{0,100}(?:secret|token|password|passwd|key|auth)\w{0,20}[ \t]{1,4}["']?(?<secret>[^\s"'=<>$-][^\s"'<>]{5,400})/gi,
    accept: (value) => strict(value, true) && /[\d!@#%^&*]/.test(value),
  },
  {
    tag: 'password',
    near: 'login|log_in|signin|sign_in|auth|credential|usernamepassword',
    around: [20, 480],
    pattern:
      /\b(?:log_?in|sign_?in|auth|authenticate|(?:HTTP)?Basic_?Auth|NetworkCredential|PasswordCredential|UsernamePassword\w{0,30}|Credentials?)\s?=?\s?\(\s?["'][^"'\n]{1,80}["'],\s?["'](?<quoted>[^"'\n]{4,200})["']/gi,
    accept: (value) => mayBeSecret(value) && /\d|[!@#$%^&*]/.test(value),
  },
  {
    tag: 'password',
    near: 'convertto-securestring',
    around: [1, 300],
    pattern: /\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'](?<quoted>[^"'\n]{3,200})["']/gi,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: 'echo',
    around: [1, 640],
    pattern: /\becho\s{1,3}(?:-n\s{1,3})?["']?(?<secret>[^\s"'|$]{6,400})["']?\s{0,3}\|[^|\n]{0,80}(?:sudo -S|--password-stdin|\bpasswd\b|--stdin)/g,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: 'requirepass|masterauth|community|pass|secret|apikey|api_key|token',
    around: [240, 500],
    pattern:
      /^[ \t]{0,20}(?:[\w-]{1,30}[ \t]{1,3}){0,5}(?:requirepass|masterauth|community|[\w.-]{0,40}(?:password|passwd|secret|api_?key|token))[ \t]{1,3}(?:\d[ \t])?(?<secret>[^\s"'`(){}[\]<>=:;,]{6,400})(?:[ \t]{1,3}R[OW])?[ \t]*$/gim,
    accept: (value) => mayBeSecret(value) && /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]+[-_.]?\d{0,4}$|[-_./].*[-_./]/i.test(value),
  },
  { tag: 'password', near: 'jdbc:oracle:', around: [1, 240], pattern: /\bjdbc:oracle:\w{1,10}:\w{1,60}\/(?<secret>[^\s"'@]{3,100})@/g, accept: mayBeSecret },
  {
    tag: 'key',
    near: 'mnemonic|seed|recovery',
    around: [1, 360],
    pattern: /\b(?:mnemonic|(?:seed|recovery)[ _-]?(?:phrase|words))["']?\s{0,4}[:=]\s{0,4}["']?(?<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})/gi,
  },
  // Words
  {
    tag: 'password',
    near: 'pass|pwd|api key|access key|secret|token|credential',
    around: [1, 500],
    pattern:
      /\b(?:pass(?:word|wd|phrase|code)|pwd|api key|access key|secret(?: key)?|token|credentials?)\s{1,3}(?:is|was|ist|est|es)(?: now| set to)?:?\s{1,3}["'`“]?(?<secret>[^\s"'`“”<>]{5,400}[^\s"'`“”<>.,;:!?)])/gi,
    accept: (value) => mayBeSecret(value) && /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]+[-_.]?\d{0,4}$|^\d+\w{0,3}$|[()[\]]/i.test(value),
  },
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
    pattern: /^[A-Za-z0-9.*-]{1,100}:(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,60}:[A-Za-z0-9_*.@-]{1,60}:(?<secret>[^\s:]{4,100})[ \t]*$/gm,
    accept: mayBeSecret,
  },
]
