import { deepEqual, equal, ok } from 'node:assert/strict'
import { type CustomRung, createCompactor, type Message, neutralCodec, type OutputToShorten, type PartitionRule, presets } from '@precis/core'
import { freezeDeep, history, step, user } from './builders.ts'
import { generateHistory } from './generate.ts'

/** A rule that every rung of a host keeps, as a test that any runner can call. Throws where it does not hold. */
export interface CustomRungCase {
  readonly name: string
  /** @throws AssertionError where the rule does not hold. */
  run(rung: CustomRung): Promise<void>
}

/** The same for a rule of what stays. */
export interface PartitionRuleCase {
  readonly name: string
  /** @throws AssertionError where the rule does not hold. */
  run(rule: PartitionRule): Promise<void>
}

const limits = { contextWindow: 16_000, maxOutput: 1_000 }
const odd = [
  '',
  '\n\n',
  '\u0000\ud800',
  '{"a": [1, 2',
  '🚀'.repeat(500),
  `${'x'.repeat(20_000)}\n`,
  'Error: no such file',
  '<html>'.repeat(300),
  '$&$1\\'.repeat(99),
]
const outputs: readonly OutputToShorten[] = odd.flatMap((output, at) =>
  ['read_file', 'Bash', ''].map((tool) =>
    freezeDeep({ tool, input: '{"path":"a.ts"}', output, isError: at % 2 === 1, tokens: output.length >> 2, step: at, turn: at % 3 }),
  ),
)

/** What a rung must do and never do. */
export const customRungCases: readonly CustomRungCase[] = [
  {
    name: 'has a name of its own',
    async run({ name }) {
      ok(name.length > 0)
      const compactor = createCompactor({ codec: neutralCodec, rungs: [{ name, shorten: () => undefined }], policy: { prune: { ladder: [name] } } })
      equal(compactor.session('s').id, 's')
    },
  },
  {
    name: 'whatever a tool returned: a text or undefined, the same each time, and nothing is thrown',
    async run(rung) {
      for (const output of outputs) {
        const text = rung.shorten(output)
        ok(text === undefined || typeof text === 'string')
        equal(rung.shorten(output), text)
      }
    },
  },
  {
    name: 'in a ladder the context gets no larger, and is the same when it is made again',
    async run(rung) {
      const source = history(
        user('go'),
        ...Array.from({ length: 12 }, (_, at) => step('read_file', `c${at}`, { path: `f${at}.ts` }, `line ${at}\n`.repeat(400))).flat(),
        user('on'),
      )
      const policy = { ...presets.balanced, prune: { ...presets.balanced.prune, ladder: [rung.name], maintain: [rung.name] } }
      const contexts = [1, 2].map(async () =>
        createCompactor({ codec: neutralCodec, limits, rungs: [rung], policy })
          .session('s')
          .beforeModelCall(source),
      )
      const [one, two] = await Promise.all(contexts)
      deepEqual(one?.messages, two?.messages)
      ok((one?.report.tokens.after ?? 0) <= (one?.report.tokens.before ?? 0))
    },
  },
]

/** What a rule must do and never do. */
export const partitionRuleCases: readonly PartitionRuleCase[] = [
  {
    name: 'whatever was said: true or false, the same each time, and nothing is thrown or changed',
    async run(rule) {
      for (const seed of [1, 2, 3]) {
        for (const message of generateHistory(seed, { turns: 12 })) {
          const group: readonly Message[] = freezeDeep([message])
          const keeps = rule.keeps(group)
          equal(typeof keeps, 'boolean')
          equal(rule.keeps(group), keeps)
        }
      }
      equal(typeof rule.keeps([]), 'boolean')
    },
  },
  {
    name: 'does not keep everything: a conversation that is too long is still compacted',
    async run(rule) {
      const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, partition: [rule] })
      const { report } = await compactor.session('s').beforeModelCall(generateHistory(3, { turns: 30 }))
      ok(report.tokens.after < report.tokens.before)
    },
  },
]
