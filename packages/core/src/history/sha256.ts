/** A digest in the making. Texts are taken as UTF-8; a lone surrogate as the three bytes that its number would have, so that no two texts are the same bytes. */
export interface Sha256 {
  text(text: string): Sha256
  bytes(bytes: Uint8Array): Sha256
  /** 64 hexadecimal digits. Ends the digest: nothing may follow. */
  hex(): string
}

const roundConstants = /* @__PURE__ */ fractions(64, 1 / 3)
const initialState = /* @__PURE__ */ fractions(8, 1 / 2)
const schedule = new Int32Array(64)

/** SHA-256 (FIPS 180-4), synchronous and without dependencies: WebCrypto only promises, and `node:crypto` is not everywhere. */
export function createSha256(): Sha256 {
  const state = initialState.slice()
  const block = new Uint8Array(64)
  let filled = 0
  let length = 0
  const put = (byte: number): void => {
    block[filled++] = byte
    if (filled < 64) return
    compress(state, block)
    filled = 0
    length += 64
  }
  const digest: Sha256 = {
    text(text) {
      const end = text.length
      let at = 0
      while (at < end) {
        const code = text.charCodeAt(at++)
        if (code < 0x80) {
          if (filled < 63) block[filled++] = code
          else put(code)
        } else if (code < 0x800) {
          put(0xc0 | (code >> 6))
          put(0x80 | (code & 63))
        } else {
          const next = code >= 0xd800 && code < 0xdc00 && at < end ? text.charCodeAt(at) : 0
          if (next >= 0xdc00 && next < 0xe000) {
            at++
            const point = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff)
            put(0xf0 | (point >> 18))
            put(0x80 | ((point >> 12) & 63))
            put(0x80 | ((point >> 6) & 63))
            put(0x80 | (point & 63))
          } else {
            put(0xe0 | (code >> 12))
            put(0x80 | ((code >> 6) & 63))
            put(0x80 | (code & 63))
          }
        }
      }
      return digest
    },
    bytes(bytes) {
      for (let at = 0; at < bytes.length; at++) put(bytes[at] as number)
      return digest
    },
    hex() {
      const bits = (length + filled) * 8
      put(0x80)
      while (filled !== 56) put(0)
      for (let shift = 7; shift >= 0; shift--) put(Math.floor(bits / 2 ** (8 * shift)) & 255)
      // Written over the last block: thousands of digests are kept, each as one flat text.
      for (let at = 0; at < 64; at++) {
        const digit = ((state[at >> 3] as number) >>> (28 - 4 * (at & 7))) & 15
        block[at] = digit + (digit < 10 ? 48 : 87)
      }
      return Reflect.apply(String.fromCharCode, null, block)
    },
  }
  return digest
}

function compress(state: Int32Array, bytes: Uint8Array): void {
  const w = schedule
  const k = roundConstants
  for (let at = 0, byte = 0; at < 16; at++, byte += 4) {
    w[at] = ((bytes[byte] as number) << 24) | ((bytes[byte + 1] as number) << 16) | ((bytes[byte + 2] as number) << 8) | (bytes[byte + 3] as number)
  }
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
