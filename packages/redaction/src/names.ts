import { type Service, servicesIn } from './services.ts'

/** What a name promises of the value behind it. A ticket is a key that is often no secret: what sessions and signatures are called. */
export type Promised = 'password' | 'key' | 'ticket' | 'nothing'

/** Words at the end of a name that say nothing about what it names. */
const hollow = new Set(
  'value val str string text txt plain raw prod production dev development test staging live old new default env var data b64 base64 encoded input arg param field header actual current secure sandbox main primary backup base'.split(
    ' ',
  ),
)
const passwordWords = new Set(
  'password passwords passwd passwort kennwort passphrase passcode pass pwd pw psk passw contrasena motdepasse senha pasword pswd userpass'.split(' '),
)
/** These are secrets whatever stands in front of them. */
const keyWords = new Set(
  'secret secrets token tokens apikey apikeys appkey secretkey accesskey privatekey authkey credential credentials creds cred bearer jwt authtoken accesstoken refreshtoken clientsecret mnemonic seedphrase otpauth connectionstring connstr authorization totp'.split(
    ' ',
  ),
)
/** A token behind one of these is none to keep. */
const harmless = new Set('csrf xsrf public syntax design continuation next page pagination cursor sync cancel cancellation'.split(' '))
/** `key` is one behind these. */
const keyMakers = new Set(
  'api app access secret private preshared encryption encrypt signing sign signature master auth account shared client webhook license licence service deploy ssh consumer admin storage hmac aes rsa subscription function functions integration ingest publishable live server write read project personal sdk crypto cipher session cookie jwt token security user hash salt vault bot gateway nonce x openai anthropic stripe sendgrid twilio mailgun github gitlab google maps azure aws gcp sentry datadog algolia firebase supabase mapbox slack discord heroku cloudflare'.split(
    ' ',
  ),
)
/** One of these is in every name that promises something: to look for. */
export const promising =
  'pass|pwd|pw|psk|pasword|pswd|kennwort|contrasena|senha|secret|token|key|cred|bearer|jwt|auth|mnemonic|phrase|connectionstring|connstr|sid|cookie|session|sig|totp|salt'
/** What does not show, and accents. */
const unseen = /[\u00ad\u200b-\u200d\u2060\ufeff\p{M}]/gu
const notAscii = /[^\0-\x7f]/

/** The name as words, lower case and without accents: `githubToken2`, `GITHUB_TOKEN`, `github-token` and `github.token` are `github token`. */
export function wordsOf(name: string): readonly string[] {
  return (notAscii.test(name) ? name.normalize('NFD').replace(unseen, '') : name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
}

/** @param words From `wordsOf`. */
export function promiseOf(words: readonly string[]): Promised {
  let end = words.length
  while (end > 1 && hollow.has(words[end - 1] as string)) end--
  const last = words[end - 1]
  if (last === undefined) return 'nothing'
  const before = words[end - 2]
  if (passwordWords.has(last) || /^[a-z]{0,16}(?:password|passwd|passphrase|passwort|kennwort)$/.test(last))
    return before === 'reset' || before === 'forgot' ? 'nothing' : 'password'
  if ((last === 'word' && before === 'pass') || (last === 'passe' && (before === 'de' || before === 'palavra'))) return 'password'
  if (keyWords.has(last) || /^[a-z]{2,16}(?:token|secret|apikey)$/.test(last)) return before !== undefined && harmless.has(before) ? 'nothing' : 'key'
  if ((last === 'key' || last === 'keys') && before !== undefined) return keyMakers.has(before) ? 'key' : 'nothing'
  if (/^(?:api|access|secret|private|encryption|signing|master|auth|account|shared|client|webhook|license)keys?$/.test(last)) return 'key'
  if (last === 'salt') return before === 'auth' || before === 'nonce' || before === 'in' ? 'key' : 'nothing'
  if (last === 'phrase') return before === 'pass' ? 'password' : before === 'seed' || before === 'recovery' || before === 'backup' ? 'key' : 'nothing'
  if (last === 'auth' || last === 'sid' || last === 'cookie' || last === 'session' || last === 'signature' || last === 'sig') return 'ticket'
  return 'nothing'
}

/** What is known of a name: its words, what it promises, and the services that it names. */
export interface Name {
  readonly words: readonly string[]
  readonly promised: Promised
  readonly services: readonly Service[]
}

/** Names come again and again: what was found out is kept for so many of them. */
const mostKnown = 20_000
const known = new Map<string, Name>()

export function readName(name: string): Name {
  const before = known.get(name)
  if (before !== undefined) return before
  const words = wordsOf(name)
  const read: Name = { words, promised: name === 'PASS' ? 'nothing' : promiseOf(words), services: servicesIn(name.toLowerCase().replace(/[^a-z0-9.]/g, '')) }
  if (known.size >= mostKnown) known.clear()
  known.set(name, read)
  return read
}
