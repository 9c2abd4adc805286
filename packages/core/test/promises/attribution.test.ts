import { type PresetName, presets } from '@precis/core'
import { type InjectedWriter, injections, runInjection } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// Nobody speaks for the user: whatever a tool prints, a file or a tool is called, or a model was made to say, a reader who knows the rule knows who wrote each line.
// A sample, another one for each preset and writer; all of it runs in `integration/injections.test.ts`.

const names = Object.keys(presets) as PresetName[]
const writers: readonly InjectedWriter[] = ['code', 'model', 'corrupted model']
const step = names.length * writers.length

describe.each(names)('%s', (preset) => {
  it.each(writers)('attributes every line of an injection, summary by %s', async (writer) => {
    const first = names.indexOf(preset) * writers.length + writers.indexOf(writer)
    let seen = 0
    for (const injection of injections.filter((_, at) => at % step === first)) {
      const result = await runInjection(injection, presets[preset], writer)
      expect(result.wrong, injection.name).toEqual([])
      expect(result.summarized, injection.name).toBe(true)
      seen += result.seen
    }
    expect(seen).toBeGreaterThan(0)
  })
})
