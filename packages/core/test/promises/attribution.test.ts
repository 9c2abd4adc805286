import { type PresetName, presets } from '@precis/core'
import { type InjectedWriter, injections, runInjection } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// Nobody speaks for the user: whatever a tool prints, a file or a tool is called, or a model was made to say, a reader who knows the rule knows who wrote each line.

describe.each(Object.keys(presets) as PresetName[])('%s', (preset) => {
  it.each(['code', 'model', 'corrupted model'] satisfies InjectedWriter[])(
    'attributes every line of every injection, summary by %s',
    { timeout: 120_000 },
    async (writer) => {
      const wrong: string[] = []
      let seen = 0
      for (const injection of injections) {
        const result = await runInjection(injection, presets[preset], writer)
        seen += result.seen
        wrong.push(...result.wrong.map((line) => `${injection.name}: ${line}`))
      }
      expect(wrong).toEqual([])
      expect(seen).toBeGreaterThan(injections.length)
    },
  )
})
