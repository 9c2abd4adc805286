import { type Embedder, type Message, memoryStorage, type PolicyOverrides } from '@precis/core'
import { assistant, user } from '@precis/testkit'
import { expect, it } from 'vitest'
import { make } from './setup.ts'

const topics = ['deploy', 'auth', 'cache', 'billing']
/** A conversation about one thing after the other, and a question about one of them. */
const long: readonly Message[] = [
  ...Array.from({ length: 100 }, (_, at) => [
    user(`Request ${at}: look at the ${topics[at % 4]} module file${at}.ts.`),
    assistant(
      `The ${topics[at % 4]} module file${at}.ts says: ${Array.from({ length: 60 }, (_, word) => `w${(at * 7919 + word * 104_729) % 9_973}`).join(' ')}`,
    ),
  ]).flat(),
  user('What about the billing module?'),
]
const embedder: Embedder = { name: 'topics', embed: async (texts) => texts.map((text) => topics.map((topic) => (text.includes(topic) ? 1 : 0.01))) }
const policyOf = (tokens: number): PolicyOverrides => ({ retain: { semantic: { clusters: 2, tokens: { tokens } } } })

it.each([400, 1_500, 3_000])('what is related, up to %d tokens, stays beside the newest messages, and not in their place', async (tokens) => {
  const limits = { contextWindow: 16_000, maxOutput: 500 }
  const usual = (await make({ limits }).session('s').beforeModelCall(long)).report.plan.keep
  const keep = (
    await make({ limits, embedder, policy: policyOf(tokens) })
      .session('s')
      .beforeModelCall(long)
  ).report.plan.keep
  expect(keep).toEqual(expect.arrayContaining([...usual]))
  const more = keep.filter((index) => !usual.includes(index))
  expect(more.length).toBeGreaterThan(0)
  for (const index of more) expect(JSON.stringify(long[index])).toContain('billing')
})

it('an embedder that hangs leaves half of the deadline to the storage, which is not said to be late', async () => {
  const storage = memoryStorage()
  const never: Embedder = { name: 'hangs', embed: () => new Promise(() => {}) }
  const session = make({ storage, embedder: never, effectDeadline: 200, policy: policyOf(400) }).session('s')
  const { report } = await session.beforeModelCall(long)
  expect(report.warnings.filter((warning) => warning.includes('effectDeadline'))).toEqual([
    'the embedder did not answer within 100 ms (effectDeadline) and was skipped',
  ])
  expect((await storage.get('sessions/s/state.json'))?.body).toContain(session.state().checkpoints.at(-1)?.id)
})
