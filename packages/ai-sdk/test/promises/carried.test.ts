import { createCompaction } from '@precis/ai-sdk'
import { createArchive, memoryStorage } from '@precis/core'
import { recallModel } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, providers, sdkOf } from '../majors.ts'
import { firstRequest, scenario } from '../scenario.ts'

// Version 7 carries what a step was shown into the next one: the history behind it is found all the same.

const open = providers()
afterEach(open.close)
const limits = { contextWindow: 12_000, maxOutput: 500 }
const clones = ({ messages }: { readonly messages: readonly ModelMessage[] }) => ({ messages: structuredClone(messages) })

describe.each(majors)('%s', (major) => {
  it.each([
    ['a session', { session: 's' }, undefined],
    ['a session, and a prepareStep that makes its messages anew', { session: 's' }, clones],
    ['no session', {}, undefined],
    ['no session, and a prepareStep that makes its messages anew', {}, clones],
  ])('%s: a run of many compactions is one conversation, on record whole', async (_, session, prepareStep) => {
    const { generateText, modelAt, tools, stopWhen } = await sdkOf(major)
    const provider = await open.start({ window: 12_000, model: recallModel(scenario), maxOutput: 500 })
    const archive = createArchive<ModelMessage>(memoryStorage())
    const outcomes: string[] = []
    const compaction = createCompaction({ limits, archive, onReport: ({ outcome }) => outcomes.push(outcome) })
    const run = await generateText({
      model: modelAt('openai', provider.url),
      tools,
      stopWhen,
      prompt: firstRequest,
      prepareStep: compaction.prepareStep({ tools, ...session, ...(prepareStep !== undefined && { prepareStep: prepareStep as never }) }),
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    expect(run.text).toBe(scenario.final)
    expect(outcomes.filter((outcome) => outcome === 'summarized').length).toBeGreaterThan(4)
    const kept: number[] = []
    for await (const id of archive.sessions()) kept.push((await archive.read(id)).messages.length)
    // All but what came after the last compaction.
    expect(kept).toHaveLength(1)
    expect(kept[0]).toBeGreaterThan((run.responseMessages ?? run.response.messages).length - 10)
  })
})
