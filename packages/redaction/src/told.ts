import { mayBeSecret, typeOrCode } from './judge.ts'

/** What has a digit in its name: hashes, encodings, protocols, programs. */
const named =
  /^(?:(?:sha|base|utf|ucs|rfc|https?|oauth|saml|ntlm|wpa|tls|ssl|b?crypt|scrypt|argon|pbkdf|blake|ripemd|crc|aes|rsa|dsa|ecdsa|curve|hmac|ipv)[-_]?\d{1,5}|md[-_]?[2-6]|x\.?509|ed25519|p-?(?:256|384|521)|secp\w+|s3|ec2|log4j2?|neo4j|(?:python|node|java|php|ruby|mysql|postgres|oracle|redis|windows)[-_]?\d{1,2}|(?:gpt|claude|gemini|llama)-?\d[\w.-]*)(?:[-_.].*|id|[idv]|v\d|url|mb\d|bit|encod\w*|hash\w*)?$/i
/** What people count, with a number of one or two digits. */
const counted =
  /^(?:step|level|phase|stage|part|page|line|section|chapter|table|figure|example|case|task|test|note|option|item|row|column|field|slot|vault|version|round|attempt|type|group|role|server|host|node|worker|config|schritt|stufe|seite|zeile|abschnitt|kapitel|tabelle|punkt|feld|etape|ligne|paso|nivel|passo|pagina|stap)[-_#]?\d{1,2}$/i
const address = /^(?:https?:|www\.|file:|~?\/|\.{1,2}\/|[a-z]:\\)|^[\w.-]+(?:[\\/][\w.-]+)+$|^[\w.+-]+@[\w-]+\.[\w.-]+$/i
const file = /^[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,5}$/i
const dateOrVersion = /^\d{1,4}[-.:/]\d{1,2}(?:[-.:/]\d{1,4})?(?:[t_ -].*)?$|^v?\d+(?:\.\d+)+[-+]?\w*$/i
/** `12-stellig`, `8characters`, `100px`, `2nd`: a number and its unit. */
const withUnit = /^\d{1,4}-?\p{L}+$|^\d+\w{0,2}$/u
/** Variables and tickets: `DB_PASSWORD2`, `ABC-123`, `newPassword2`, `auth_v2`. */
const variable = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^[A-Z]{2,10}-\d+$|^[a-z]+(?:_[a-z]+)*_v?\d$/
const nameOfPassword = /^[a-z]{3,}_?(?:pass|pwd|password|passwort|kennwort|secret|token)s?_?\d?$/i
const code = /[()[\]<>]|^\{|::|->|=>|^[$%@&*#-]|^[\w$]+(?:\.[\w$]+)+$|^\w+=|[.…]{2}/

/** A password as people say it in a sentence: a word with a number, a number in a word, a sign in it. Words alone stay, and what has a digit in its name. */
export function isTold(value: string): boolean {
  if (value.length < 6 || !mayBeSecret(value) || !/[a-z]/i.test(value)) return false
  if (!/\d/.test(value) && !/[a-z][#$%!^~@][a-z]/i.test(value)) return false
  return ![named, counted, address, file, dateOrVersion, withUnit, variable, nameOfPassword, code, typeOrCode].some((other) => other.test(value))
}

/** What is said behind the label of a password where none stands: that it is needed, wrong, somewhere else. */
const remark =
  /^(?:siehe|falsch|leer|keine?s?|unbekannt|vergessen|erforderlich|optional|missing|unknown|hidden|string|invalid|incorrect|wrong|forgotten|random|needed|default|generiert|zufall|geheim|requis|aucun|inconnu|incorrecte?|incorrect[ao]|invalid[aeo]|oculta|ninguna|vencida|vacia|perdida|correcta|nenhuma|vazia|onbekend|verplicht|onjuist|vergeten|verlopen|number|boolean|object|varchar|password|passwort|kennwort|senha|contrasena)$|(?:lich|isch|bar|iert|los|fen|ren|ern|eben|igt|tzt|oire|oria|orio|ida|ido|ada|ado|ed|ing|able|ible|hash|word|field|input)$/

/** A plain word behind a label such as `Kennwort:`. */
export function isLabelled(value: string): boolean {
  return /^[a-z]{6,40}$/.test(value) && mayBeSecret(value) && !remark.test(value)
}
