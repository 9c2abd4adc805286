import { createHash, hash } from 'node:crypto'
import { createCompactor, fingerprint, type Message, neutralCodec } from '@precis/core'
import { user } from '@precis/testkit'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytesOfHex, computedSha256, digestWith, hexOf, type Sha256, sha256 } from '../../src/history/sha256.ts'
import { platformSha256 } from '../../src/runtime/platform/sha256.ts'

/** UTF-8, and three bytes for a lone surrogate. */
const bytesOf = (text: string): Buffer =>
  Buffer.concat(
    Array.from(text, (character) => {
      const code = character.codePointAt(0) as number
      return code >= 0xd800 && code < 0xe000 ? Buffer.of(0xed, 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)) : Buffer.from(character)
    }),
  )
const reference = (data: string | Uint8Array): string =>
  createHash('sha256')
    .update(typeof data === 'string' ? bytesOf(data) : data)
    .digest('hex')

const platform = platformSha256() as Sha256
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
)

describe.each([
  ['computed', computedSha256],
  ['by the platform', platform],
])('sha256, %s', (_name, digest) => {
  const hex: Sha256 = (data) => hexOf(digest(data))
  it('gives the published digests', () => {
    expect(hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
  it('gives the digest of the bytes of random texts, lone surrogates among them, and of random bytes', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.uint8Array({ maxLength: 300 })), (data) => {
        expect(hex(data)).toBe(reference(data))
      }),
      { numRuns: 1_000 },
    )
  })
  it('agrees at every length around a block', () => {
    for (let length = 0; length < 200; length++) {
      for (const data of ['x'.repeat(length), 'é'.repeat(length), '\udc00'.repeat(length), new Uint8Array(length).fill(200)])
        expect(hex(data)).toBe(reference(data))
    }
  })
  it.each(['x', 'é', '…', '\u{1f600}', '\ud800', '\udc00\ud800'])('agrees on long texts of %j, wherever a piece of them ends', (character) => {
    for (let more = 0; more < 5; more++) {
      const text = 'y'.repeat(more) + character.repeat(20_000)
      expect(hex(text)).toBe(reference(text))
    }
  })
  it('agrees on long bytes, and on a view of some of them', () => {
    const bytes = Uint8Array.from({ length: 100_001 }, (_, at) => at * 7)
    expect(hex(bytes)).toBe(reference(bytes))
    expect(hex(bytes.subarray(3, 9_000))).toBe(reference(bytes.subarray(3, 9_000)))
  })
  it('tells lone surrogates apart', () => {
    expect(new Set(['\ud800', '\ud801', '\udc00', '\ufffd'].map(hex)).size).toBe(4)
  })
  it('is written in digits and read again', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(String.fromCharCode(...bytesOfHex(hexOf(digest(text))))).toBe(digest(text))
      }),
    )
  })
})

describe('the platform', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    digestWith(undefined)
  })
  it.each<readonly [string, object]>([
    ['no process', {}],
    ['a process as bundlers put it in', { process: { env: {} } }],
    ['no crypto module', { process: { getBuiltinModule: () => undefined } }],
    ['no hash that answers at once', { process: { getBuiltinModule: () => ({ createHash }) } }],
    [
      'a hash that is not there yet',
      {
        process: {
          getBuiltinModule: () => ({
            createHash,
            hash() {
              throw new Error('not implemented')
            },
          }),
        },
      },
    ],
    ['a hash that answers later', { process: { getBuiltinModule: () => ({ createHash, hash: () => Promise.resolve('') }) } }],
    ['a hash of something else', { process: { getBuiltinModule: () => ({ createHash, hash: () => 'x'.repeat(32) }) } }],
  ])('with %s is not asked', (_name, other) => {
    expect(platformSha256(other)).toBeUndefined()
  })
  it('is used by a compactor where it has one, and its fingerprints are those of a runtime without `process`', async () => {
    const messages = (): readonly Message[] => [user('é\u{1f600} and \ud800'), user('x'.repeat(40_000)), { role: 'user', parts: [picture] }]
    const picture: Message['parts'][number] = { type: 'media', mediaType: 'image/png', data: new Uint8Array(5_000).fill(3) }
    const used = async (): Promise<string> => {
      const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 100_000 } })
      const { messages: shown } = await compactor.session('s').beforeModelCall(messages())
      return fingerprint(shown)
    }
    const called = vi.fn(hash)
    vi.stubGlobal('process', { ...process, getBuiltinModule: () => ({ createHash, hash: called }) })
    const native = await used()
    expect(called.mock.calls.length).toBeGreaterThan(5)
    vi.stubGlobal('process', undefined)
    expect(await used()).toBe(native)
    expect(sha256('')).toBe(computedSha256(''))
  })
})
