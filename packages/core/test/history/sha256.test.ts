import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSha256 } from '../../src/history/sha256.ts'

const reference = (...pieces: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

describe('sha256', () => {
  it('gives the published digests', () => {
    expect(createSha256().hex()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(createSha256().text('abc').hex()).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
  it('agrees with node:crypto on random texts, bytes and their sequences', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.uint8Array({ maxLength: 300 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const digest = createSha256()
        for (const one of pieces) typeof one === 'string' ? digest.text(one) : digest.bytes(one)
        expect(digest.hex()).toBe(reference(...pieces))
      }),
      { numRuns: 500 },
    )
  })
  it('agrees at every length around a block', () => {
    for (let length = 0; length < 200; length++) {
      const text = 'x'.repeat(length)
      expect(createSha256().text(text).hex()).toBe(reference(text))
      expect(createSha256().bytes(new Uint8Array(length).fill(7)).hex()).toBe(reference(new Uint8Array(length).fill(7)))
    }
  })
  it('tells lone surrogates apart', () => {
    const digests = ['\ud800', '\ud801', '\udc00', '\ufffd'].map((text) => createSha256().text(text).hex())
    expect(new Set(digests).size).toBe(4)
  })
})
