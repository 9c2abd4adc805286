import type { Finding } from '@precis/core'
import { isPlaceholder } from './judge.ts'
import type { NearFinder } from './near.ts'

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
  { flag: /-U[ \t]{1,3}/y, programs: /\b(?:smbclient|rpcclient|wget)\b/, pair: true },
  { flag: /-p(?=[^\s=-])/y, programs: /\b(?:mysql\w*|mariadb\w*|sshpass|7z)\b/ },
  { flag: /-p[ \t]{1,3}/y, programs: /\bsshpass\b/ },
  {
    flag: /(?:-[pPwaN][ \t=:]{1,2}|-[pP](?=\S{0,40}\d)|-(?:storepass|keypass|passin|passout)[ \t]{1,3}|\/p:|--authenticationPassword[ \t=]{1,2})(?:pass:)?/y,
    programs:
      /\b(?:docker|podman|buildah|skopeo|helm|az|oc|redis-cli|mongosh?|mongodump|mongorestore|sqlcmd|bcp|ldapsearch|ldapadd|psql|zip|unzip|7z|rar|htpasswd|smbclient|rabbitmqadmin|influx|vault|nmcli|evil-winrm|crackmapexec|netexec|keytool|jarsigner|svn|lftp|xfreerdp|openssl|ssh-keygen|gpg)\b/,
    mixed: true,
  },
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
  if (pair === true && (!value.includes(':') || value.includes('://'))) return false
  if (secret.length < 3 || isPlaceholder(secret) || /^[-$]|^[a-z]{1,5}$/.test(secret)) return pair === true && /^[^:]{6,}:$/.test(value) && /\d/.test(value)
  if (/^[\d.:]+(?:\/\w+)?$/.test(secret) && pair !== true) return false
  return mixed !== true || (/\d|[!@#$%^&*]/.test(secret) && !/^[\w.-]+:[\w./-]+$|^\/|=/.test(secret))
}

/** What stands before, on this line and on those that go on with a backslash. */
function commandBefore(text: string, index: number): string {
  const lines = text.slice(Math.max(0, index - longestCommand), index).split('\n')
  let from = lines.length - 1
  while (from > 0 && /\\\r?$/.test(lines[from - 1] as string)) from--
  return lines.slice(from).join(' ')
}

function valueAt(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  const match = /^(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"'<>|;]{3,200}))/.exec(text.slice(at, at + 204))
  if (match === null) return undefined
  const quoted = match[3] === undefined
  return { start: at + (quoted ? 1 : 0), end: at + match[0].length - (quoted ? 1 : 0) }
}
