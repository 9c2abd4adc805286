import { builtInEstimator, createTokenMemo, initialState, type MediaPart, type Message, type PlanInput, planCompaction, presets } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const words = (count: number): string => 'word '.repeat(count).trim()
/** 2,000 tokens a page. */
const pdf = (pages: number): MediaPart => ({ type: 'media', mediaType: 'application/pdf', pages })
const asks = (text: string, ...media: readonly MediaPart[]): Message => ({ role: 'user', parts: [{ type: 'text', text }, ...media] })
const talk = (turns: number): readonly Message[] =>
  Array.from({ length: turns }, (_, turn) => [assistant(`Answer ${turn}. ${words(400)}`), user(`Question ${turn}?`)]).flat()

function planned(messages: readonly Message[], window: number) {
  const input: PlanInput = {
    messages,
    tokens: createTokenMemo(builtInEstimator),
    estimator: builtInEstimator,
    policy: presets.balanced,
    limits: { contextWindow: window },
    maxOutput: 1_000,
    overhead: { system: 0, tools: 0, memory: 0 },
    state: initialState,
    checkpoint: undefined,
  }
  return planCompaction(input)
}

describe('a document that the first request brought along', () => {
  it('stays where a record could not quote it, and the rest makes way', () => {
    const { keep, summary, decision } = planned(history(asks('Read this.', pdf(25)), ...talk(80)), 100_000)
    expect([keep[0], decision.culprit]).toEqual([0, undefined])
    expect(summary).toBeDefined()
  })
  it('goes where it takes more than three fifths of the window', () => {
    expect(planned(history(asks('Read this.', pdf(35)), ...talk(40)), 100_000).keep).not.toContain(0)
  })
  it('is no picture: those are looked at once', () => {
    const picture: MediaPart = { type: 'media', mediaType: 'image/png' }
    expect(planned(history(asks('Look.', ...Array(12).fill(picture)), ...talk(180)), 100_000).keep).not.toContain(0)
  })
  it('goes before the request is refused', () => {
    const { keep, decision } = planned(history(asks('Read this.', pdf(25)), ...talk(20), user(words(60_000))), 100_000)
    expect([decision.culprit, keep.at(-1)]).toEqual([undefined, 41])
    expect(keep).not.toContain(0)
  })
})

/** Where the requests with documents of so many pages stand, and which of them stay. */
function staying(...pages: readonly number[]): readonly number[] {
  const asked = pages.flatMap((count, at) => [asks(`Read this, number ${at}.`, pdf(count)), assistant('Read.')])
  const { keep } = planned(history(user(words(20_000)), assistant('Well.'), ...asked, ...talk(60)), 100_000)
  return pages.flatMap((_, at) => (keep.includes(2 + 2 * at) ? at : []))
}

describe('a document that a later request brought along', () => {
  it('stays as well, though the first request has left', () => {
    expect(staying(20)).toEqual([0])
    expect(staying(28)).toEqual([0])
    expect(staying(35)).toEqual([])
  })
  it('stays beside others up to about a third of the window, the newest first', () => {
    expect(staying(8, 8)).toEqual([0, 1])
    expect(staying(8, 8, 8)).toEqual([1, 2])
    expect(staying(3, 20, 10)).toEqual([0, 2])
    expect(staying(5, 20)).toEqual([1])
  })
  it('is not counted twice where a request has several', () => {
    const { keep } = planned(history(user('Hello.'), assistant('Well.'), asks('Compare these.', pdf(10), pdf(10)), ...talk(60)), 100_000)
    expect(keep).toContain(2)
  })
  it('goes before the request is refused', () => {
    const { keep, decision } = planned(history(user('Hello.'), assistant('Well.'), asks('Read this.', pdf(25)), ...talk(20), user(words(60_000))), 100_000)
    expect([decision.culprit, keep.at(-1)]).toEqual([undefined, 43])
    expect(keep).not.toContain(2)
  })
  it('is nothing that a tool returned', () => {
    const read = step('read_file', 'c1', {}, 'It is attached.')
    const returned = read.map((message) =>
      message.role === 'tool' ? { ...message, parts: message.parts.map((part) => ({ ...part, attachments: [pdf(10)] }) as never) } : message,
    )
    const { keep, summary } = planned(
      history(user('Read it.'), ...returned, ...step('ls', 'c2', {}, 'a.txt'), ...step('ls', 'c3', {}, 'b.txt'), ...talk(180)),
      100_000,
    )
    expect(summary).toBeDefined()
    expect(keep).not.toContain(2)
  })
})
