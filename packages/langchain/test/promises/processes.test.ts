import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { memoryStorage } from '@precis/core'
import { createCompactor, withCompaction } from '@precis/langchain'
import { fakeSummarizer, type PromptEntry, type StrictProvider, strictProvider } from '@precis/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { modelAt, vaultText } from '../vaults.ts'

/** An agent in a process of its own. Told of a turn, it reads the checkpointer from a file, takes the turn, writes it back, and says how many summaries it has paid. */
const program = `
  import { readFile, writeFile } from 'node:fs/promises'
  import { deserialize, serialize } from 'node:v8'
  import { HumanMessage } from '@langchain/core/messages'
  import { MemorySaver } from '@langchain/langgraph'
  import { createAgent } from 'langchain'
  import { compaction } from './src/index.ts'
  import { fakeSummarizer } from '../testkit/src/index.ts'
  import { modelAt, readFile as read } from './test/vaults.ts'
  const [url, file] = process.argv.slice(1)
  const summarizer = fakeSummarizer()
  const checkpointer = new MemorySaver()
  const limits = { contextWindow: 12_000, maxOutput: 500 }
  const agent = createAgent({ model: modelAt('openai', url), tools: [read], middleware: [compaction({ limits, recall: 'off', summarizer })], checkpointer })
  process.on('message', async (turn) => {
    const kept = await readFile(file).catch(() => undefined)
    if (kept !== undefined) Object.assign(checkpointer, deserialize(kept))
    await agent.invoke({ messages: [new HumanMessage('Turn ' + turn + ': read on.')] }, { configurable: { thread_id: 't' } })
    await writeFile(file, serialize({ storage: checkpointer.storage, writes: checkpointer.writes }))
    process.send(summarizer.requests.length)
  })
  process.send(0)
`

const children: ChildProcess[] = []
let provider: StrictProvider
let folder: string
beforeEach(async () => {
  provider = await strictProvider({ window: 12_000, maxOutput: 500, model: turns })
  folder = await mkdtemp(join(tmpdir(), 'precis-processes-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill()
  await provider.close()
  await rm(folder, { recursive: true, force: true })
})

/** Each turn reads a file, and ends. */
const turns = (prompt: readonly PromptEntry[]) => {
  const since = prompt.slice(prompt.findLastIndex(({ role, isResult }) => role === 'user' && !isResult) + 1)
  return since.every(({ callIds }) => callIds.length === 0)
    ? { text: '', calls: [{ id: `call_${prompt.length}`, tool: 'read_file', input: JSON.stringify({ path: `src/${prompt.length}.ts` }) }] }
    : { text: 'Read.', calls: [] }
}

describe('several processes on one thread, with a checkpointer and nothing else in common', () => {
  it('that take turns go on from each other’s newest state: none makes a summary that another has made', async () => {
    const paidBy = async (count: number): Promise<number> => {
      const workers = Array.from({ length: count }, () =>
        spawn(process.execPath, ['--conditions=@precis/source', '--input-type=module', '-e', program, provider.url, join(folder, String(count))], {
          cwd: new URL('../..', import.meta.url).pathname,
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        }),
      )
      children.push(...workers)
      await Promise.all(workers.map((worker) => once(worker, 'message')))
      const paid = workers.map(() => 0)
      for (let turn = 0; turn < 32; turn++) {
        const worker = workers[turn % count] as ChildProcess
        worker.send(turn)
        paid[turn % count] = Number((await once(worker, 'message'))[0])
      }
      return paid.reduce((sum, one) => sum + one)
    }
    const [alone, together] = await Promise.all([paidBy(1), paidBy(4)])
    expect(alone).toBeGreaterThan(2)
    expect(together).toBeLessThanOrEqual(alone + 1)
    expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
  })
})

describe('several that share a storage and nothing else', () => {
  it.each(['withCompaction', 'createCompactor'] as const)('and take turns pay as one: %s, named or not', async (door) => {
    const paidBy = async (count: number, configurable: object): Promise<number> => {
      const summarizer = fakeSummarizer()
      const options = { storage: memoryStorage(), limits: { contextWindow: 12_000, maxOutput: 500 }, summarizer }
      const model = modelAt('openai', provider.url)
      const doors = Array.from({ length: count }, () => (door === 'withCompaction' ? withCompaction(model, options) : createCompactor(options).pipe(model)))
      const history: BaseMessage[] = []
      for (let turn = 0; turn < 40; turn++) {
        history.push(new HumanMessage(`Question ${turn}:\n${vaultText(`src/part-${turn}.ts`)}`))
        await doors[turn % count]?.invoke([...history], { configurable })
        history.push(new AIMessage('Read.'))
      }
      return summarizer.requests.length
    }
    for (const configurable of [{}, { sessionId: 's' }]) {
      const alone = await paidBy(1, configurable)
      expect(alone).toBeGreaterThan(2)
      expect(await paidBy(4, configurable)).toBe(alone)
    }
  })
})
