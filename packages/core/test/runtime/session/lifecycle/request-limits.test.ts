import { type Message, mergePolicy } from '@precis/core'
import { assistant, history, image, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { sessionWith, textsOf } from '../../../systems/setup.ts'
import { balanced, full } from './setup.ts'

describe('limits of one request besides tokens', () => {
  const pictures = history(system('S'), ...Array.from({ length: 10 }, () => [image(), assistant('seen')]).flat(), user('and now?'))
  const attachments = (messages: readonly Message[]): number => messages.flatMap((message) => message.parts.filter((part) => part.type === 'media')).length
  it('attachments beyond the count become a line each, oldest first, and stay so', async () => {
    const session = sessionWith(mergePolicy(balanced, { trigger: { request: { media: 4 } } }), { limits: { contextWindow: 200_000 } })
    const { messages, report } = await session.beforeModelCall(pictures)
    expect(report.plan.decision).toMatchObject({ action: 'prune', reason: 'bytes' })
    expect(attachments(messages)).toBe(4)
    expect(textsOf(messages)).toContain('[attached, not shown any more: image/png]')
    expect(attachments(pictures)).toBe(10)
    const again = await session.beforeModelCall([...pictures, assistant('ok')])
    expect(again.report.outcome).toBe('projected')
    expect(again.messages.slice(0, -1)).toEqual(messages)
  })
  it('attachments of the newest request are never let go of: older ones are in their place', async () => {
    const session = sessionWith(mergePolicy(balanced, { trigger: { request: { media: 4 } } }), { limits: { contextWindow: 200_000 } })
    const three: Message = { role: 'user', parts: [image(), image(), image()].flatMap(({ parts }) => parts) }
    const { messages } = await session.beforeModelCall([...pictures, three])
    expect(attachments(messages.slice(-1))).toBe(3)
    expect(attachments(messages)).toBeLessThanOrEqual(4)
  })
  it('what a call has just returned stays together where it fits by itself', async () => {
    const call: Message = { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c', tool: 'look', input: '{}' }] }
    const attached = Array.from({ length: 6 }, () => image().parts.filter((part) => part.type === 'media')).flat() as never
    const returned: Message = { role: 'tool', parts: [{ type: 'tool-result', callId: 'c', tool: 'look', output: 'six', attachments: attached }] }
    const session = sessionWith(balanced, { limits: { contextWindow: 200_000, maxMedia: 8 } })
    const { messages } = await session.beforeModelCall([...pictures, call, returned])
    const last = messages.at(-1)?.parts[0]
    expect(last?.type === 'tool-result' && last.attachments?.length).toBe(6)
    expect(attachments(messages)).toBeLessThanOrEqual(2)
  })
  it('a limit of attachments as large as none, beside one of bytes: half of them go', async () => {
    const request = { bytes: 300_000, media: Number.MAX_SAFE_INTEGER }
    const { messages } = await sessionWith(mergePolicy(balanced, { trigger: { request } }), { limits: { contextWindow: 200_000 } }).beforeModelCall(pictures)
    expect(attachments(messages)).toBe(2)
    const wordy = history(system('S'), ...Array.from({ length: 10 }, () => [image(), assistant('seen '.repeat(8_000))]).flat(), user('and now?'))
    const { report } = await sessionWith(mergePolicy(balanced, { trigger: { request } }), { limits: { contextWindow: 2_000_000 } }).beforeModelCall(wordy)
    expect(report.plan.decision.reason).toBe('bytes')
  })
  const shot = (at: number): readonly Message[] => [
    { role: 'assistant', parts: [{ type: 'tool-call', callId: `c${at}`, tool: 'computer', input: '{"type":"screenshot"}' }] },
    {
      role: 'tool',
      parts: [
        { type: 'tool-result', callId: `c${at}`, tool: 'computer', output: '' },
        { type: 'opaque', kind: 'computer_screenshot', size: 0, attachments: [{ type: 'media', mediaType: 'image/png', bytes: 50_000 }] },
      ],
    },
  ]
  it.each([
    [0, 0],
    [4, 10],
  ])('a limit of %i of them that cannot be kept asks for no compaction before each call', async (media, most) => {
    const session = sessionWith(mergePolicy(balanced, { trigger: { request: { media } } }), { limits: { contextWindow: 200_000 } })
    const pinned = Array.from({ length: 4 }, (_, at) => shot(at).map((message) => ({ ...message, protected: true }))).flat()
    let compactions = 0
    for (let at = 1; at <= 20; at++) {
      const { report } = await session.beforeModelCall([user('Look around.'), ...pinned, ...Array.from({ length: at }, (_, one) => shot(one + 10)).flat()])
      if (report.outcome === 'summarized') compactions++
    }
    expect(compactions).toBeLessThanOrEqual(most)
  })
  it("pictures of a provider's own items, such as its computer's, leave with their calls", async () => {
    const session = sessionWith(balanced, { limits: { contextWindow: 200_000, maxMedia: 8 } })
    const shots = (messages: readonly Message[]): number => messages.filter(({ parts }) => parts.some(({ type }) => type === 'opaque')).length
    const asked = image()
    for (let at = 1; at <= 30; at++) {
      const { messages } = await session.beforeModelCall([asked, ...Array.from({ length: at }, (_, one) => shot(one)).flat()])
      expect(shots(messages) + attachments(messages)).toBeLessThanOrEqual(8)
      expect(messages.at(-1)?.parts[0]).toMatchObject({ callId: `c${at - 1}` })
    }
  })
  it('where what was just returned does not fit into the window, as many of its pictures stay as do', async () => {
    const attachment = { type: 'media', mediaType: 'image/png', bytes: 100_000 } as const
    const ids = Array.from({ length: 36 }, (_, at) => `c${at}`)
    const calls: Message = { role: 'assistant', parts: ids.map((callId) => ({ type: 'tool-call', callId, tool: 'look', input: '{}' })) }
    const results: Message = {
      role: 'tool',
      parts: ids.map((callId) => ({ type: 'tool-result', callId, tool: 'look', output: `page ${callId}`, attachments: [attachment] })),
    }
    const session = sessionWith(balanced, { limits: { contextWindow: 32_000, maxOutput: 2_000 } })
    const { messages } = await session.beforeModelCall([user('Look at all pages.'), calls, results])
    const shown = messages.at(-1)?.parts.filter((part) => part.type === 'tool-result' && part.attachments) ?? []
    expect(shown.length).toBeGreaterThanOrEqual(9)
    expect(shown.at(-1)).toMatchObject({ callId: 'c35' })
    expect(textsOf(messages)).toContain('page c0\n[attached, not shown any more: attachment of look]')
  })
  it('none at all', async () => {
    const session = sessionWith(mergePolicy(balanced, { trigger: { request: { media: 0 } } }), { limits: { contextWindow: 200_000 } })
    expect(attachments((await session.beforeModelCall(pictures)).messages)).toBe(0)
  })
  it('the limit of the model: half of the attachments go at once, so that the beginning of the prompt does not change with each new one', async () => {
    const session = sessionWith(balanced, { limits: { contextWindow: 200_000, maxMedia: 8 } })
    expect(attachments((await session.beforeModelCall(pictures)).messages)).toBe(5)
    const { messages, report } = await session.beforeModelCall([...pictures, assistant('ok'), image()])
    expect([report.outcome, attachments(messages)]).toEqual(['projected', 6])
  })
  it('bytes: attachments first, then a compaction; never what was just asked', async () => {
    const session = sessionWith(mergePolicy(balanced, { trigger: { request: { bytes: 300_000 } } }), { limits: { contextWindow: 200_000 } })
    const { messages } = await session.beforeModelCall([...pictures, image()])
    expect(messages.at(-1)?.parts.some((part) => part.type === 'media')).toBe(true)
    expect(attachments(messages)).toBeLessThanOrEqual(2)
    const wordy = sessionWith(mergePolicy(balanced, { trigger: { request: { bytes: 40_000 } } }), { limits: { contextWindow: 2_000_000 } })
    const { report, messages: left } = await wordy.beforeModelCall(full)
    expect(report.plan.decision.reason).toBe('bytes')
    expect(JSON.stringify(left).length).toBeLessThan(50_000)
  })
})
