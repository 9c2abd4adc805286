import { fingerprint, type Message, newestValid } from '@precis/core'
import { assistant, system, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestWith } from '../../src/history/sha256.ts'
import { platformSha256 } from '../../src/runtime/platform/sha256.ts'
import { checkpointOf } from '../checkpoints.ts'

const one = (part: Message['parts'][number], role: Message['role'] = 'user'): readonly Message[] => [{ role, parts: [part] }]
const bytes = (last: number): Uint8Array => Uint8Array.from({ length: 64 }, (_, at) => (at === 63 ? last : at))
const media = (data: unknown) => one({ type: 'media', mediaType: 'image/png', bytes: 64, data })
const opaque = (value: unknown) => one({ type: 'opaque', kind: 'item', size: 20, value })
const call = (tool: string, input = '{}') => one({ type: 'tool-call', callId: 'c', tool, input }, 'assistant')
const result = (tool: string, more: object = {}) => one({ type: 'tool-result', callId: 'c', tool, output: 'ok', ...more }, 'tool')
const said: Message['parts'] = [{ type: 'text', text: 'done' }]
/** Two parallel calls of one tool, and their results as they are packed. */
const asked = (first: string, second: string, ...packed: readonly (readonly string[])[]): readonly Message[] => [
  { role: 'assistant', parts: [first, second].map((callId) => ({ type: 'tool-call', callId, tool: 'read', input: '{}' })) },
  ...packed.map((ids): Message => ({ role: 'tool', parts: ids.map((callId) => ({ type: 'tool-result', callId, tool: 'read', output: 'ok' })) })),
]
const long = 'x'.repeat(40_000)

describe('fingerprint', () => {
  it.each<readonly [string, readonly Message[], readonly Message[]]>([
    ['bytes of a picture', media(bytes(1)), media(bytes(2))],
    ['base64 of a picture', media(`${long}a`), media(`${long}b`)],
    ['the URL of a picture', media(new URL('https://a.example/1')), media(new URL('https://a.example/2'))],
    ['the id of a file', media({ openai: 'file-1' }), media({ openai: 'file-2' })],
    ['an opaque item of the same size', opaque({ a: 'one' }), opaque({ a: 'two' })],
    ['a list for an object', opaque(['a', 'b']), opaque({ a: 'b' })],
    ['a number for its text', opaque({ a: 1 }), opaque({ a: '1' })],
    ['the name of a called tool', call('read'), call('write')],
    ['the name of a tool that answered', result('read'), result('write')],
    ['an error for an answer', result('read'), result('read', { isError: true })],
    ['an attachment of a result', result('read', { attachments: media(bytes(1))[0]?.parts }), result('read', { attachments: media(bytes(2))[0]?.parts })],
    ['the border between two texts', [user('ab'), user('c')], [user('a'), user('bc')]],
    [
      'the border between two parts',
      one({ type: 'tool-call', callId: 'ab', tool: 'c', input: '' }),
      one({ type: 'tool-call', callId: 'a', tool: 'bc', input: '' }),
    ],
    ['which call a result answers', asked('1', '2', ['1', '2']), asked('1', '2', ['2', '1'])],
    ['another file on the same storage', media('https://b.example/f.png?id=1&sig=aa'), media('https://b.example/f.png?id=2&sig=aa')],
    ['views of a picture that nobody signed', media('https://b.example/f.png?st=front&sp=1'), media('https://b.example/f.png?st=back&sp=1')],
    ...[
      'token=FILE&sig=a',
      'policy=FILE&sig=a',
      'st=FILE&sp=1&signature=a',
      'sv=FILE&sig=a',
      'id=FILE&X-Amz-Signature=a&X-Amz-Date=1',
      'se=FILE&X-Goog-Signature=a',
    ].map(
      (query) =>
        [
          `files that a parameter of a signed URL names: ${query}`,
          ...[1, 2].map((file) => media(`https://b.example/f?${query.replace('FILE', `${file}`)}`)),
        ] as never,
    ),
    ['the order of messages', [user('a'), user('b')], [user('b'), user('a')]],
    ['who speaks', [user('a')], [assistant('a')]],
    ['a lone surrogate', [user('\ud800')], [user('\ud801')]],
  ])('tells apart %s', (_name, before, after) => {
    expect(fingerprint(before)).not.toBe(fingerprint(after))
  })
  it.each<readonly [string, readonly Message[], readonly Message[]]>([
    ['copied bytes', media(bytes(1)), media(bytes(1))],
    ['bytes in a larger buffer', media(bytes(1)), media(new Uint8Array([9, ...bytes(1)]).subarray(1))],
    ['another order of fields', opaque({ a: 1, b: [2, { c: 3, d: 4 }] }), opaque({ b: [2, { d: 4, c: 3 }], a: 1 })],
    ['fields that are undefined', opaque({ a: 1 }), opaque({ a: 1, b: undefined })],
    ['ids of messages', [{ ...user('a'), id: '1' }], [{ ...user('a'), id: '2' }]],
    ['ids of calls', asked('1', '2', ['1', '2']), asked('x', 'y', ['x', 'y'])],
    ['system and developer messages', [system('It is 12:01.'), user('a')], [user('a'), { role: 'developer', parts: [{ type: 'text', text: 'b' }] }]],
    ['reasoning', [user('a'), { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }, ...said] }], [user('a'), { role: 'assistant', parts: said }]],
    ['results in one message or in two', asked('1', '2', ['1', '2']), asked('1', '2', ['1'], ['2'])],
    ['a renewed signature', media('https://b.example/f.png?id=1&X-Amz-Signature=aa&X-Amz-Date=1'), media('https://b.example/f.png?id=1&X-Amz-Signature=bb')],
    ['a renewed signature of Azure', media('https://b.example/f.png?sv=1&se=2&sr=b&sig=aa'), media('https://b.example/f.png?sv=1&se=3&sr=b&sig=bb')],
    [
      'a renewed token of Supabase',
      media('https://b.example/storage/v1/object/sign/pictures/f.png?token=eyJhbGciOiJIUzI1NiJ9.a'),
      media('https://b.example/storage/v1/object/sign/pictures/f.png?token=eyJhbGciOiJIUzI1NiJ9.b'),
    ],
    [
      'a renewed signature of CloudFront',
      media('https://b.example/f.png?Expires=1&Signature=a&Key-Pair-Id=K'),
      media('https://b.example/f.png?Expires=2&Signature=b&Key-Pair-Id=K'),
    ],
    ...[
      'X-Goog-Algorithm=a&X-Goog-Credential=NEW&X-Goog-Date=NEW&X-Goog-Expires=9&X-Goog-SignedHeaders=host&X-Goog-Signature=NEW',
      'X-Amz-Algorithm=a&X-Amz-Credential=NEW&X-Amz-Date=NEW&X-Amz-Expires=9&X-Amz-Security-Token=NEW&X-Amz-SignedHeaders=host&X-Amz-Signature=NEW&x-id=GetObject',
      'AWSAccessKeyId=NEW&Expires=NEW&Signature=NEW',
      'GoogleAccessId=me&Expires=NEW&Signature=NEW&generation=5',
      'Policy=NEW&Signature=NEW&Key-Pair-Id=K',
      'skoid=a&sktid=b&skt=NEW&ske=NEW&sks=b&skv=NEW&sv=2026-02-06&spr=https&st=NEW&se=NEW&sr=b&sp=r&sig=NEW',
    ].map((query) => [`a URL signed anew: ${query}`, ...['1', '2'].map((date) => media(`https://b.example/f.png?${query.replaceAll('NEW', date)}`))] as never),
    ['an address as text or as URL', media('https://b.example/f.png?id=1&sig=aa'), media(new URL('https://b.example/f.png?id=1&sig=bb'))],
  ])('does not mind %s', (_name, before, after) => {
    expect(fingerprint(before)).toBe(fingerprint(after))
  })
  it('is the same for the same beginning, in whatever order it was asked for', () => {
    const messages = Array.from({ length: 30 }, (_, at) => user(`message ${at}`))
    const marks = messages.map((_, at) => fingerprint(messages, at))
    const again = messages.map((_, at) => fingerprint(structuredClone(messages), 29 - at)).reverse()
    expect(again).toEqual(marks)
    // The same objects in another place are another history, and back again the same.
    expect(fingerprint([user('before'), ...messages], 5)).not.toBe(fingerprint(messages, 5))
    expect(fingerprint(messages, 5)).toBe(marks[5])
    expect(fingerprint(messages)).toMatch(/^[0-9a-f]{64}$/)
    expect(fingerprint([])).toMatch(/^[0-9a-f]{64}$/)
  })
  it('of a list that grew, was cut, forked or changed in place is that of the same words read afresh', () => {
    const step = fc.record({ do: fc.constantFrom('append', 'cut', 'fork', 'instruct', 'replace', 'call'), at: fc.nat(12) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let list: Message[] = [user('the first request')]
        for (const [number, { do: what, at }] of steps.entries()) {
          const place = at % (list.length + 1)
          if (what === 'append') list.push(user(`message ${at}`))
          else if (what === 'call') list.push(...call(`tool ${at}`), ...result(`tool ${at}`))
          else if (what === 'cut') list = list.slice(0, Math.max(1, place))
          else if (what === 'fork') list = [...list.slice(0, place), assistant(`fork ${number}`)]
          else if (what === 'instruct') list = [system(`It is ${number}.`), ...list.filter(({ role }) => role !== 'system')]
          else list[place] = assistant(`in place of another ${number}`)
          for (const count of number % 2 === 0 ? [list.length, place] : [place])
            expect(fingerprint(list, count)).toBe(fingerprint(structuredClone(list), count))
        }
      }),
      { numRuns: 300 },
    )
  })
  it.each([
    ['computed', undefined],
    ['by the platform', platformSha256()],
  ])('is the one that stored checkpoints hold, %s', (_name, sha256) => {
    digestWith(sha256)
    const attachments: Message['parts'] = [{ type: 'media', mediaType: 'a/b', data: 'https://b.example/f.png?id=1&sig=aa' }]
    const messages: readonly Message[] = [
      ...one({ type: 'media', mediaType: 'image/png', data: new Uint8Array(70_000).fill(7), name: '\ud800x' }),
      ...one({ type: 'opaque', kind: 'k', size: 3, value: { b: [1, { c: '\udc00' }], a: 'é'.repeat(20_000), n: null } }),
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', callId: 'a', tool: 't', input: '{}' },
          { type: 'approval', callId: 'a', state: 'granted' },
        ],
      },
      ...one({ type: 'tool-result', callId: 'a', tool: 't', output: 'x\ud83d', isError: true, attachments } as Message['parts'][number], 'tool'),
      { role: 'user', parts: ['a', '', '\ud83d'].map((text) => ({ type: 'text', text })) },
      user('\ude00'),
    ]
    expect(fingerprint(messages)).toBe('4a12022a0fb2d868bda1f715cca077f07b36939583efc9b276d3878a85d5c645')
    digestWith(undefined)
  })
  it.each([
    ['by ours', undefined],
    ['by the platform', platformSha256()],
  ])('takes what a broken host puts where a text belongs, %s', (_name, sha256) => {
    digestWith(sha256)
    // Above the length from which on a text is hashed by itself, and without one.
    for (const output of [7, { length: 20_000 }, true]) {
      const first = fingerprint(result('t', { output }))
      expect(first).toMatch(/^[0-9a-f]{64}$/)
      expect(first).not.toBe(fingerprint(result('t')))
    }
    digestWith(undefined)
  })
  it('survives values that are 10,000 levels deep or hold themselves', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 10_000; level++) deep = { deep }
    const own: Record<string, unknown> = {}
    own['own'] = own
    expect(fingerprint(opaque(deep))).not.toBe(fingerprint(opaque(own)))
  })
  it('a checkpoint of the time when fingerprints had 16 digits applies to nothing', () => {
    const messages = [user('a'), user('b')]
    const digits = fingerprint(messages, 1)
    for (const mark of [`1:${digits.slice(0, 16)}`, `1:${digits.slice(-16)}`])
      expect(newestValid([checkpointOf(1, { length: 2, fingerprint: mark })], messages)).toBeUndefined()
    expect(newestValid([checkpointOf(1, { length: 2, fingerprint: digits })], messages)).toBeDefined()
  })
})
