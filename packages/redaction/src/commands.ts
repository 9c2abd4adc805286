import type { Finding } from '@precis/core'
import { isKey, isPassword, isPlaceholder, mayBeSecret } from './judge.ts'
import type { NearFinder, NearRule } from './near.ts'

/** A flag of some programs behind which a password stands. */
interface Flag {
  /** The flag itself; the value follows at once. */
  readonly flag: RegExp
  /** One of these stands before it on the line, or on the lines that it goes on from. */
  readonly programs: RegExp
  /** `user:password`: only what stands behind the colon counts, the whole is hidden. */
  readonly pair?: boolean
  /** A value without a digit or a sign is a word of the command. */
  readonly mixed?: boolean
}

const flags: readonly Flag[] = [
  { flag: /(?:-[a-zA-Z]{0,6}u|--(?:proxy-)?user)(?:=|[ \t]{0,5})/y, programs: /\b(?:curl|http|https|xh)\b/, pair: true },
  { flag: /(?:-a|--auth)[ \t=]{1,3}/y, programs: /(?<![\w./:])(?:http|https|xh)[ \t]/, pair: true },
  { flag: /-c[ \t]{1,2}/y, programs: /\bsnmp\w+/, mixed: true },
  { flag: /-k[ \t]{1,2}/y, programs: /\bopenssl\b/, mixed: true },
  { flag: /-U[ \t]{1,3}/y, programs: /\b(?:smbclient|rpcclient|wget)\b/, pair: true },
  { flag: /-p(?=[^\s=-])/y, programs: /\b(?:mysql\w*|mariadb\w*|sshpass|7z)\b/ },
  { flag: /-p[ \t]{1,3}/y, programs: /\bsshpass\b/ },
  { flag: /-p[ \t=]{1,2}|-p(?=\S{0,40}\d)/y, programs: /\b(?:docker|podman|buildah|skopeo|helm|az|oc)\b.*\blogin\b/, mixed: true },
  { flag: /-a[ \t=]{1,2}/y, programs: /\bredis-cli\b/, mixed: true },
  { flag: /-w[ \t=]{1,2}/y, programs: /\bldap\w+/, mixed: true },
  { flag: /-N[ \t=]{1,2}/y, programs: /\bssh-keygen\b/, mixed: true },
  { flag: /-P[ \t=]{1,2}|-P(?=\S{0,40}\d)/y, programs: /\b(?:zip|unzip|ssh-keygen)\b/, mixed: true },
  {
    flag: /-[pP][ \t=:]{1,2}(?:pass:)?|-[pP](?=\S{0,40}\d)/y,
    programs:
      /\b(?:mongosh?|mongodump|mongorestore|sqlcmd|bcp|7z|rar|smbclient|rabbitmqadmin|influx|vault|evil-winrm|crackmapexec|netexec|svn|lftp|xfreerdp|useradd|usermod|ipmitool|cqlsh|psexec|winrs)\b/,
    mixed: true,
  },
  {
    flag: /(?:-(?:storepass|keypass|passin|passout)[ \t]{1,3}|--authenticationPassword[ \t=]{1,2})(?:pass:)?/y,
    programs: /\b(?:keytool|jarsigner|openssl|mongo\w*)\b/,
    mixed: true,
  },
  { flag: /\/p:/y, programs: /\bxfreerdp\b/, mixed: true },
]

/** Characters of a command in front of a flag that are looked at. */
const longestCommand = 500

/** Passwords behind short flags, on the command lines of programs that take them there. */
export const commandFinder: NearFinder = {
  near: ' -|\t-| /p:|\t/p:',
  *find(text, places) {
    for (const place of places) {
      const index = place + 1
      for (const rule of flags) {
        rule.flag.lastIndex = index
        if (!rule.flag.test(text)) continue
        const value = valueAt(text, rule.flag.lastIndex)
        if (value === undefined || !isReal(text.slice(value.start, value.end), rule)) continue
        if (rule.programs.test(commandBefore(text, index))) yield { ...value, tag: 'password' } satisfies Finding
      }
    }
  },
}

function isReal(value: string, { pair, mixed }: Flag): boolean {
  const secret = pair === true ? value.slice(value.indexOf(':') + 1) : value
  // A user and a group have numbers, too.
  if (pair === true && (!value.includes(':') || value.includes('://') || /^\d+:\d+$/.test(value))) return false
  if (secret.length < 3 || isPlaceholder(secret) || /^[-$]|^[a-z]{1,5}$/.test(secret)) return pair === true && /^[^:]{6,}:$/.test(value) && /\d/.test(value)
  if (/^[\d.:]+(?:\/\w+)?$/.test(secret) && pair !== true) return false
  return mixed !== true || (/\d|[!@#$%^&*]/.test(secret) && !/^[\w.-]+:[\w./-]+$|^\/|=/.test(secret))
}

/** What stands before of the same command, on this line and on those that go on with a backslash. */
function commandBefore(text: string, index: number): string {
  const lines = text.slice(Math.max(0, index - longestCommand), index).split('\n')
  let from = lines.length - 1
  while (from > 0 && /\\\r?$/.test(lines[from - 1] as string)) from--
  const line = lines
    .slice(from)
    .join(' ')
    .replace(/"[^"]*"|'[^']*'/g, '""')
  return line.replace(/^.*(?:[;|]|&&)/s, '')
}

function valueAt(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  const match = /^(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"'<>|;]{3,200}))/.exec(text.slice(at, at + 204))
  if (match === null) return undefined
  const quoted = match[3] === undefined
  return { start: at + (quoted ? 1 : 0), end: at + match[0].length - (quoted ? 1 : 0) }
}

const strict = (value: string): boolean => isKey(value, true) || isPassword(value, { quoted: true, whole: false })

/** Secrets behind long flags, behind programs and behind calls that log in. */
export const commandRules: readonly NearRule[] = [
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
      /(?<![\w-])--?[a-z-]{0,30}(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|auth-?key|access-?key)(?:=|[ \t]{1,3}(?:\\\r?\n[ \t]{0,20})?|["'],[ \t]{0,3}(?=["']))(?:["'](?<quoted>[^"'\n]{4,400})["']|(?<bare>[^\s"'<>|$(){}[\]&;,-][^\s"'<>|&;,]{5,400}))/gi,
    accept: (value) => mayBeSecret(value) && /\d|[!@#%^&*]/.test(value) && !/^[a-z]+(?:[-_.][a-z]+)+$/i.test(value),
  },
  {
    tag: 'key',
    near: 'secret|token|pass|key|auth',
    around: [230, 470],
    pattern:
      /\b(?:set|config)(?:[ \t]{1,4}--?[\w-]{1,30}){0,3}[ \t]{1,4}[\w./:@-]{0,100}(?:secret|token|password|passwd|key|auth)\w{0,20}[ \t]{1,4}(?:--?(?:body|value|data)[ \t=]{1,2})?["']?(?<secret>[^\s"'=<>$-][^\s"'<>]{5,400})/gi,
    accept: (value) => strict(value) && /[\d!@#%^&*]/.test(value),
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
    pattern: /\becho\s{1,3}(?:-n\s{1,3})?["']?(?<secret>[^\s"'|$]{6,400})["']?\s{0,3}\|[^|\n]{0,80}(?:sudo -S|--password-stdin|\b(?:ch)?passwd\b|--stdin)/g,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: 'requirepass|masterauth|community|pass|secret|apikey|api_key|token',
    around: [240, 540],
    pattern:
      /^[ \t]{0,20}(?:[\w-]{1,30}[ \t]{1,3}){0,5}(?:requirepass|masterauth|community|[\w.-]{0,40}(?:password|passwd|secret|api_?key|token))[ \t]{1,30}(?:\d[ \t])?(?<secret>[^\s"'`(){}[\]<>=:;,]{6,400})(?:[ \t]{1,3}R[OW])?[ \t]*$/gim,
    accept: (value) => mayBeSecret(value) && /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]+[-_.]?\d{0,4}$|[-_./].*[-_./]/i.test(value),
  },
  {
    tag: 'password',
    near: 'getconnection',
    around: [1, 540],
    pattern: /\bgetConnection\s?\(\s?(?:["'][^"'\n]{1,200}["']|[\w.]{1,60}),\s?["'][^"'\n]{1,80}["'],\s?["'](?<quoted>[^"'\n]{4,200})["']/g,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: 'sqlplus|sqlldr|expdp|impdp',
    around: [1, 240],
    pattern: /\b(?:sqlplus|sqlldr|expdp|impdp)[ \t][^\s/]{0,60}\b[\w$]{1,40}\/(?<secret>[^\s"'@/]{3,100})@/g,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: ' -u|--user',
    around: [0, 200],
    pattern: /(?<=[ \t])(?:-U|--user)[ \t=]{0,2}["']?[\w.\\/-]{1,60}%(?<secret>[^\s"']{3,100})/g,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: 'net use|net user',
    around: [1, 320],
    pattern: /\bnet (?:use [^\n]{0,120}\/user:\S{1,60}|user [\w.-]{1,40}) {1,3}(?<secret>[^\s/*"'][^\s"']{5,100})/gi,
    accept: (value) => mayBeSecret(value) && /\d|[!@#$%^&*]/.test(value),
  },
  {
    tag: 'password',
    near: 'assword',
    around: [0, 260],
    pattern: /assword[^\n]{0,40}\r?\n\s{0,20}(?:exp_)?send\s{1,3}(?:-- )?"(?<quoted>[^"\\\n]{4,100})\\[rn]"/g,
    accept: mayBeSecret,
  },
  {
    tag: 'password',
    near: 'auth ',
    around: [42, 300],
    pattern: /^[^\n\w]{0,4}(?:[\w.:-]{1,30}> {0,2})?AUTH[ \t]{1,2}(?:[\w-]{1,40}[ \t]{1,2})?(?<secret>[^\s"']{6,200})[ \t]*$/gm,
    accept: (value) => mayBeSecret(value) && /\d/.test(value) && /[a-z]/.test(value),
  },
  {
    tag: 'password',
    near: '<<<',
    around: [140, 450],
    pattern: /(?:password|passwd|secret|token|key|pass)\w{0,10}[^\n|;]{0,60}<<<[ \t]{0,2}["']?(?<secret>[^\s"'$]{6,400})/gi,
    accept: (value) => strict(value),
  },
  {
    tag: 'password',
    near: '--value',
    around: [260, 450],
    pattern: /--name[ =]\S{0,100}(?:password|passwd|secret|token|key|pass)\S{0,40}[ \t][^\n]{0,80}?--value[ =]["']?(?<secret>[^\s"'$]{6,400})/gi,
    accept: (value) => strict(value),
  },
  {
    tag: 'password',
    near: 'add_user|change_password',
    around: [1, 240],
    pattern: /\b(?:add_user|change_password)[ \t][\w.@-]{1,60}[ \t]["']?(?<secret>[^\s"'(){}]{4,100})/g,
    accept: (value) => mayBeSecret(value) && /\d/.test(value),
  },
  {
    tag: 'password',
    near: '"--|\'--',
    around: [1, 420],
    pattern:
      /["']--[a-z-]{0,30}(?:password|passwd|token|secret|api-?key|auth-?key|access-?key)["'],[^\n]{0,120}?\bdefault\s?=\s?["'](?<quoted>[^"'\n]{4,200})["']/g,
    accept: (value) => strict(value),
  },
]
