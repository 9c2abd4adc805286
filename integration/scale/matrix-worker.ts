// One process of the matrix: answers prompts of any conversation, on whatever storage it is told.
import { createHash } from 'node:crypto'
import { type Compactor, createCompactor, type Message, neutralCodec, type Summarizer } from '@precis/core'
import { fakeSummarizer } from '@precis/testkit'
import { type Connections, storageOf } from './storages.ts'

export interface Asked {
  readonly id: number
  readonly storage: string
  readonly root: string
  readonly prompt: readonly Message[]
}
export interface Answered {
  readonly id: number
  /** Hash of the context. */
  readonly context: string
  /** Requests for a summary that this process has made for this root. */
  readonly paid: number
  readonly warnings: readonly string[]
}

const connections = JSON.parse(process.argv[2] ?? '{}') as Connections
const places = new Map<string, { readonly compactor: Compactor<Message>; readonly paid: () => number }>()

function placeOf({ storage, root }: Asked) {
  const known = places.get(`${storage}/${root}`)
  if (known !== undefined) return known
  const inner = fakeSummarizer()
  const slow: Summarizer = {
    ...inner,
    async summarize(request, signal) {
      await new Promise((resolve) => setTimeout(resolve, 40))
      return inner.summarize(request, signal)
    },
  }
  const compactor = createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 6_000, maxOutput: 300 },
    storage: storageOf(storage, root, connections),
    summarizer: slow,
    effectDeadline: 20_000,
  })
  const place = { compactor, paid: () => inner.requests.length }
  places.set(`${storage}/${root}`, place)
  return place
}

process.on('message', (asked: Asked) => {
  const { compactor, paid } = placeOf(asked)
  void compactor
    .session('s')
    .beforeModelCall(asked.prompt)
    .then(({ messages, report }) => {
      const context = createHash('sha256').update(JSON.stringify(messages)).digest('hex')
      process.send?.({ id: asked.id, context, paid: paid(), warnings: report.warnings } satisfies Answered)
    })
})
process.send?.('ready')
