/** SHA-256 of a text or of bytes: 32 characters, one for each byte, half of what hexadecimal digits would hold in memory. */
export type Sha256 = (data: string | Uint8Array) => string

/** Characters of one digest. */
export const digestLength = 32

let given: Sha256 | undefined

/** Whatever the platform has is used in place of ours; undefined: ours. The digests are the same. */
export function digestWith(sha256: Sha256 | undefined): void {
  given = sha256
}

/** By the platform, where it was given, or by ours. */
export function sha256(data: string | Uint8Array): string {
  return (given ?? computedSha256)(data)
}

/** The 64 hexadecimal digits of a digest. */
export function hexOf(digest: string): string {
  return flat(new Uint8Array(putHex(digest, new Uint16Array(digestLength), 0).buffer))
}

/** A name for a text by which nobody can pass off another as it: 16 hexadecimal digits, 64 bits. */
export function digestName(text: string): string {
  return hexOf(sha256(text)).slice(0, 16)
}

/** Writes the digits of a digest as ASCII, two at a time. @returns the pairs that it was given. */
export function putHex(digest: string, pairs: Uint16Array<ArrayBuffer>, from: number): Uint16Array<ArrayBuffer> {
  for (let at = 0; at < digestLength; at++) pairs[from + at] = digitsOf[digest.charCodeAt(at)] as number
  return pairs
}

/** Both digits of each byte, in the platform's own order. */
const digitsOf = /* @__PURE__ */ new Uint16Array(Uint8Array.from({ length: 512 }, (_, at) => (256 + (at >> 1)).toString(16).charCodeAt(1 + (at & 1))).buffer)

/** The bytes of a digest that is written in hexadecimal digits. */
export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: digestLength }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16))
}

/** One flat text: thousands of digests are kept. */
export function flat(bytes: Uint8Array): string {
  return Reflect.apply(String.fromCharCode, null, bytes)
}

const roundConstants = /* @__PURE__ */ fractions(64, 1 / 3)
const initialState = /* @__PURE__ */ fractions(8, 1 / 2)
const schedule = new Int32Array(64)
/** Bytes that are read at once. */
const piece = 4_096
/** What is read and not hashed yet, with a character that runs over the end of a piece. */
const open = new Uint8Array(piece + 4)
/** The same in words, as the standard has them. */
const words = /* @__PURE__ */ new DataView(open.buffer)

/**
 * SHA-256 (FIPS 180-4), synchronous and without dependencies: WebCrypto only promises, and `node:crypto` is not everywhere. Texts are taken as UTF-8; a lone
 * surrogate as the three bytes that its number would have, so that no two texts are the same bytes.
 */
export function computedSha256(data: string | Uint8Array): string {
  const state = initialState.slice()
  let [at, filled, hashed] = [0, 0, 0]
  do {
    if (typeof data !== 'string') while (at < data.length && filled < piece) open[filled++] = data[at++] as number
    else
      while (at < data.length && filled < piece) {
        const code = data.charCodeAt(at++)
        if (code < 0x80) open[filled++] = code
        else {
          const point = code < 0xd800 ? code : (data.codePointAt(at - 1) as number)
          const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
          if (more === 3) at++
          open[filled++] = (0x7f80 >> more) | (point >> (6 * more))
          for (let left = more - 1; left >= 0; left--) open[filled++] = 0x80 | ((point >> (6 * left)) & 63)
        }
      }
    let from = 0
    for (; from + 64 <= filled; from += 64) compress(state, from)
    open.copyWithin(0, from, filled)
    filled -= from
    hashed += from
  } while (at < data.length)
  const bits = (hashed + filled) * 8
  open[filled++] = 0x80
  const end = filled > 56 ? 128 : 64
  open.fill(0, filled, end)
  words.setBigUint64(end - 8, BigInt(bits))
  for (let from = 0; from < end; from += 64) compress(state, from)
  for (const [at, word] of state.entries()) words.setInt32(4 * at, word)
  return flat(open.subarray(0, digestLength))
}

function compress(state: Int32Array, from: number): void {
  const w = schedule
  const k = roundConstants
  for (let at = 0; at < 16; at++) w[at] = words.getInt32(from + 4 * at)
  for (let at = 16; at < 64; at++) {
    const x = w[at - 15] as number
    const y = w[at - 2] as number
    const small = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const large = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[at] = (small + (w[at - 7] as number) + large + (w[at - 16] as number)) | 0
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let at = 0; at < 64; at++) {
    const mixed = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const first = (h + mixed + (g ^ (e & (f ^ g))) + (k[at] as number) + (w[at] as number)) | 0
    const turned = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const second = (turned + ((a & b) | (c & (a | b)))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
  state[4] = (state[4] as number) + e
  state[5] = (state[5] as number) + f
  state[6] = (state[6] as number) + g
  state[7] = (state[7] as number) + h
}

/** The first 32 bits of the fractional parts of roots of the first primes: where the standard's constants come from. */
function fractions(count: number, exponent: number): Int32Array {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++) if (primes.every((prime) => candidate % prime > 0)) primes.push(candidate)
  return Int32Array.from(primes, (prime) => (prime ** exponent % 1) * 2 ** 32)
}
