import { builtInEstimator, createTokenMemo, initialState, type MediaPart, type Message, type PlanInput, planCompaction, presets } from '@precis/core'
import { assistant, history, user } from '@precis/testkit'
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
  it('is not what a later request brought along, once the first has left', () => {
    const { keep } = planned(history(user(words(30_000)), assistant('Well.'), asks('Read this.', pdf(20)), ...talk(60)), 100_000)
    expect(keep).not.toContain(0)
    expect(keep).not.toContain(2)
  })
})
