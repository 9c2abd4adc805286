import { createOpenAI } from '@ai-sdk/openai'
import { createCompaction, withCompaction } from '@precis/ai-sdk'
import type { CompactionReport } from '@precis/core'
import { generateText, type ModelMessage, stepCountIs, type ToolSet } from 'ai'
import { expect, it } from 'vitest'

interface Item {
  readonly type?: string
  readonly id?: string
  readonly call_id?: string
  readonly output?: unknown
}

const openai = (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey: 'none', fetch })
const lines = (run: number, size: number): string => Array.from({ length: size }, (_, line) => `run ${run}, line ${line}: nothing new of the build`).join('\n')
const picture = (run: number): string =>
  `data:image/png;base64,${Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(60_000, run)]).toString('base64')}`

/** An agent that calls one of OpenAI's own tools again and again: what its requests held, and what became of them. */
async function run(tools: ToolSet, call: (step: number) => object, steps: number, contextWindow: number) {
  const stored = new Map<string | undefined, Item>()
  const requests: (readonly Item[])[] = []
  const reports: CompactionReport[] = []
  const model = withCompaction(
    openai(async (_url, init) => {
      const { input } = JSON.parse(String(init?.body)) as { readonly input: readonly Item[] }
      const items = input.map((item) => (item.type === 'item_reference' ? (stored.get(item.id) as Item) : item))
      requests.push(items)
      const step = requests.length
      const said = {
        type: 'message',
        id: `m${step}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
      }
      const output = [step > steps ? said : { id: `i${step}`, call_id: `c${step}`, status: 'completed', ...call(step) }] as Item[]
      for (const item of output) stored.set(item.id, item)
      const usage = { input_tokens: Math.ceil(JSON.stringify(items).replace(/[\w+/=]{1000,}/g, 'x'.repeat(4_000)).length / 4), output_tokens: 10 }
      return Response.json({ id: `r${step}`, created_at: 0, model: 'gpt-5.4', output, usage })
    }).responses('gpt-5.4'),
    { limits: { contextWindow, maxOutput: 2_000 }, onReport: (report) => void reports.push(report) },
  )
  const { text } = await generateText({ model, tools, prompt: 'Look at the logs.', stopWhen: stepCountIs(steps + 1), maxRetries: 0 })
  return { text, requests, outcomes: new Set(reports.map(({ outcome }) => outcome)) }
}

/** Calls without an answer of their own kind. */
const unanswered = (items: readonly Item[]): readonly Item[] =>
  items.filter(({ type = 'message', call_id }) => type.endsWith('_call') && !items.some((item) => item.type === `${type}_output` && item.call_id === call_id))

const { tools: own } = openai(fetch)
let runs = 0
const shell = own.shell({ execute: () => Promise.resolve({ output: [{ stdout: lines(++runs, 1_500), stderr: '', outcome: { type: 'exit', exitCode: 0 } }] }) })
const localShell = own.localShell({ execute: () => Promise.resolve({ output: lines(++runs, 1_500) }) })
const applyPatch = own.applyPatch({ execute: () => Promise.resolve({ status: 'failed', output: lines(++runs, 1_500) }) })

it.each([
  ['shell', { shell }, () => ({ type: 'shell_call', action: { commands: ['cat log'] } })],
  ['local_shell', { local_shell: localShell }, () => ({ type: 'local_shell_call', action: { type: 'exec', command: ['cat', 'log'], env: {} } })],
  ['apply_patch', { apply_patch: applyPatch }, () => ({ type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a.ts' } })],
] as const)("outputs of OpenAI's own %s are shortened in their own kind", async (_name, tools, call) => {
  const { text, requests } = await run(tools as ToolSet, call, 30, 64_000)
  expect(text).toBe('Done.')
  expect(requests.flatMap(unanswered)).toEqual([])
  const outputs = requests.flat().filter(({ type }) => type?.endsWith('_call_output'))
  expect(outputs.some(({ output }) => JSON.stringify(output).length < 20_000)).toBe(true)
})

it("screenshots of OpenAI's computer go out as they came, and leave with their calls", async () => {
  const shots: string[] = []
  const execute = () => {
    shots.push(picture(shots.length))
    return Promise.resolve({ output: { type: 'computer_screenshot' as const, imageUrl: shots.at(-1) ?? '' } })
  }
  const call = () => ({ type: 'computer_call', actions: [{ type: 'screenshot' }], pending_safety_checks: [] })
  const { text, requests, outcomes } = await run({ computer: own.computer({ execute }) }, call, 60, 32_000)
  expect(text).toBe('Done.')
  expect(requests.flatMap(unanswered)).toEqual([])
  for (const [at, items] of requests.slice(1).entries()) expect(items.at(-1)?.output).toMatchObject({ image_url: shots[at] })
  expect(outcomes).toContain('summarized')
})

it('a call of a shell that nobody answered, as its process died, is answered in its own kind', async () => {
  const sent: Item[] = []
  const model = openai((_url, init) => {
    sent.push(...(JSON.parse(String(init?.body)) as { readonly input: readonly Item[] }).input)
    const message = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Done.', annotations: [] }] }
    return Promise.resolve(Response.json({ id: 'r', created_at: 0, model: 'gpt-5.4', output: [message], usage: { input_tokens: 10, output_tokens: 1 } }))
  }).responses('gpt-5.4')
  const messages: ModelMessage[] = [
    { role: 'user', content: 'Look at the logs.' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'shell', input: { action: { commands: ['cat log'] } } }] },
    { role: 'user', content: 'And?' },
  ]
  const prepareStep = createCompaction({ limits: { contextWindow: 64_000 } }).prepareStep()
  const { text } = await generateText({ model, tools: { shell }, messages, prepareStep, providerOptions: { openai: { store: false } } })
  expect([text, unanswered(sent)]).toEqual(['Done.', []])
  expect(sent.find(({ type }) => type === 'shell_call_output')?.output).toMatchObject([{ outcome: { type: 'timeout' } }])
})
