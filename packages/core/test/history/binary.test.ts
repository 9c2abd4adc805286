import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBinary, withoutBinary } from '../../src/history/binary.ts'

const bytes = (length: number, seed = 31): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 24
  })
}
const base64 = (length: number, seed?: number): string => Buffer.from(bytes(length, seed)).toString('base64')
const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), bytes(3_000)]).toString('base64')

describe('data in a text', () => {
  it.each([
    ['a screenshot', `shot: ${png} done`, 'shot: [image/png, 3008 bytes, not shown as text] done'],
    ['a data URL', `<img src="data:image/webp;base64,${base64(900)}">`, '<img src="[image/webp, 900 bytes, not shown as text]">'],
    ['a short data URL', `url(data:image/gif;base64,${base64(60)})`, 'url([image/gif, 60 bytes, not shown as text])'],
    ['JSON', JSON.stringify({ image: base64(900), n: 1 }), '{"image":"[binary data, 900 bytes, not shown as text]","n":1}'],
    ['lines of MIME', `begin\n${base64(900).replace(/.{76}/g, '$&\n')}\nend of it`, 'begin\n[binary data, 900 bytes, not shown as text]\nend of it'],
    [
      'lines of MIME in JSON',
      JSON.stringify({ body: base64(900).replace(/.{76}/g, '$&\r\n'), n: 1 }),
      '{"body":"[binary data, 900 bytes, not shown as text]","n":1}',
    ],
    ['hexadecimal', `dump ${Buffer.from(bytes(300)).toString('hex')} end`, 'dump [binary data, 300 bytes, not shown as text] end'],
    ['base64url', `x ${Buffer.from(bytes(900)).toString('base64url')} y`, 'x [binary data, 900 bytes, not shown as text] y'],
  ])('%s is named by type and size', (_name, text, shown) => {
    expect(withoutBinary(text)).toBe(shown)
  })
  it.each([
    ['prose', 'The quick brown fox jumps over the lazy dog. '.repeat(100)],
    ['code', "export const value123 = load('alpha-1234', { retries: 3 })\n".repeat(100)],
    ['repeated letters', 'x'.repeat(6_000)],
    ['a ruler', '-'.repeat(400)],
    ['hashes', Array.from({ length: 40 }, (_, at) => Buffer.from(bytes(32, at + 1)).toString('hex')).join('\n')],
    ['long names', 'some_very_long_identifier_'.repeat(40)],
    ['numbers', '1234567890'.repeat(60)],
  ])('%s is left alone', (_name, text) => {
    expect(withoutBinary(text)).toBe(text)
  })
  it('what stands around it stays, wherever it lies and however much there is', () => {
    const words = fc.array(fc.constantFrom('error', 'in', 'src/a.ts:12', 'the', '{"a":1}', '\n', 'E4711'), { maxLength: 40 }).map((list) => list.join(' '))
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.integer({ min: 260, max: 4_000 })), { maxLength: 4 }), words, (pieces, last) => {
        const text = pieces.map(([before, size]) => `${before} "${base64(size, size)}" `).join('') + last
        const shown =
          pieces
            .map(([before, size]) => `${before} "[binary data, ${Math.floor(base64(size, size).replace(/=+$/, '').length * 0.75)} bytes, not shown as text]" `)
            .join('') + last
        expect(withoutBinary(text)).toBe(shown)
        expect(findBinary(withoutBinary(text))).toEqual([])
      }),
    )
  })
})
