import { type PresetName, presets } from '@precis/core'
import { type InjectedWriter, injections, runInjection } from '@precis/testkit'
import { expect, it } from 'vitest'
import { isWhole } from './whole.ts'

// Texts that want to speak for the user, in every place that a text of others has, under every preset: no line may be attributed to somebody who did not write it.

const writers: readonly InjectedWriter[] = ['code', 'model', 'corrupted model']
const combinations = (Object.keys(presets) as PresetName[]).flatMap((preset) => writers.map((writer) => [preset, writer] as const))
/** A third of them each, so that each is tried by every writer under some preset; all of them every night. */
const tried = (combination: number) => injections.filter((_, at) => isWhole || (at + combination + Math.floor(combination / 3)) % 3 === 0)

it.each(combinations.map(([preset, writer], at) => [preset, writer, tried(at)] as const))(
  '%s, summary by %s: 0 lines are attributed wrongly',
  { timeout: 600_000 },
  async (preset, writer, injections) => {
    const wrong: string[] = []
    const blind: string[] = []
    let seen = 0
    for (const injection of injections) {
      const result = await runInjection(injection, presets[preset], writer)
      seen += result.seen
      if (result.seen === 0 && (injection.place !== 'summary' || writer === 'corrupted model')) blind.push(injection.name)
      wrong.push(...result.wrong.map((line) => `${injection.name}: ${line}`))
    }
    console.log(`${preset}, summary by ${writer}: ${seen} lines of ${injections.length} injections, ${wrong.length} attributed wrongly`)
    expect(wrong).toEqual([])
    // None went by unseen: what only a corrupted model repeats is in no other text.
    expect(blind).toEqual([])
  },
)
