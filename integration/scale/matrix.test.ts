import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { isWhole } from '../whole.ts'
import type { Answered, Asked } from './matrix-worker.ts'
import { storageNames } from './storages.ts'

// One conversation, served by two, four and eight processes: turn about with processes killed in between, and all at once. The storage is all that they share.

let folder = ''
const workers: ChildProcess[] = []
const waiting = new Map<number, (answer: Answered) => void>()
let asked = 0

async function startWorker(at: number): Promise<void> {
  const connections = JSON.stringify({ folder, redis: inject('redis').url, postgres: inject('postgres').url, s3: inject('s3') })
  const child = fork(new URL('matrix-worker.ts', import.meta.url), [connections], {
    execArgv: ['--conditions=@precis/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  workers[at] = child
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`a worker ended at its start (${code})`)))
  })
  child.removeAllListeners('exit')
  child.on('message', (answer: Answered) => waiting.get(answer.id)?.(answer))
}
async function restart(at: number): Promise<void> {
  workers[at]?.kill('SIGKILL')
  await startWorker(at)
}
function ask(worker: number, storage: string, root: string, prompt: readonly Message[]): Promise<Answered> {
  const id = ++asked
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    workers[worker]?.send({ id, storage, root, prompt } satisfies Asked)
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-matrix-'))
  await Promise.all(Array.from({ length: 8 }, (_, at) => startWorker(at)))
}, 60_000)
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const history = generateHistory(11, { turns: 16 })
/** Prompts, as a model is called: behind each request and each result. */
const prompts = history.flatMap((message, at) => (message.role !== 'assistant' && history[at + 1]?.role === 'assistant' ? [history.slice(0, at + 1)] : []))

it.each(storageNames)('%s: as many summaries as one process pays for, and the same contexts, byte for byte', async (storage) => {
  const name = storage.toLowerCase()
  const alone: string[] = []
  let paidAlone = 0
  for (const prompt of prompts) {
    const { context, paid } = await ask(0, storage, `${name}_alone`, prompt)
    alone.push(context)
    paidAlone = paid
  }
  expect(paidAlone).toBeGreaterThan(3)
  const rows: Record<string, unknown>[] = [{ processes: 1, summaries: paidAlone }]
  for (const count of isWhole ? [2, 4, 8] : [2, 8]) {
    // Turn about; every ninth turn the process that is next was killed and started anew.
    const root = `${name}_turns${count}`
    let paid = 0
    const before = new Map<number, number>()
    for (const [turn, prompt] of prompts.entries()) {
      const worker = turn % count
      if (turn % 9 === 8) {
        await restart(worker)
        before.delete(worker)
      }
      const answer = await ask(worker, storage, root, prompt)
      paid += answer.paid - (before.get(worker) ?? 0)
      before.set(worker, answer.paid)
      expect(answer.context, `${count} processes, turn ${turn}: ${answer.warnings.join()}`).toBe(alone[turn])
    }
    // All at once: each prompt by every process at the same time.
    const together = `${name}_once${count}`
    await ask(0, storage, together, prompts[0] ?? []) // makes the table, where there is one: PostgreSQL lets only one process do that
    let answers: readonly Answered[] = []
    for (const prompt of prompts) answers = await Promise.all(Array.from({ length: count }, (_, at) => ask(at, storage, together, prompt)))
    const once = answers.reduce((sum, answer) => sum + answer.paid, 0)
    expect(new Set(answers.map(({ context }) => context)), 'one history in the end').toEqual(new Set([alone.at(-1)]))
    rows.push({ processes: count, 'summaries, turn about': paid, 'summaries, at once': once })
    expect(paid).toBe(paidAlone)
    expect(once).toBe(paidAlone)
  }
  console.log(storage)
  console.table(rows)
})
