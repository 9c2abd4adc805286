import { type CompactionSession, type Compactor, type CompactorOptions, createCompactor, type Message, neutralCodec, type PolicyOverrides } from '@precis/core'
import { assistant, call, fakeClock, history, result, step, system, user } from '@precis/testkit'

/** A compactor over neutral messages with a clock that counts. */
export function compactorWith(policy: CompactorOptions<Message>['policy'], options: Partial<CompactorOptions<Message>> = {}): Compactor<Message> {
  return createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 20_000, maxOutput: 2_000 },
    clock: fakeClock(),
    ...(policy !== undefined && { policy }),
    ...options,
  })
}

export function sessionWith(policy: PolicyOverrides, options: Partial<CompactorOptions<Message>> = {}): CompactionSession<Message> {
  return compactorWith(policy, options).session('s')
}

/** A file as a tool would print it: about eight tokens a line, each line different. */
export function fileText(name: string, lines: number): string {
  return Array.from({ length: lines }, (_, at) => `${at + 1}: export const ${name}Value${at} = load('${name}/${at}.json')`).join('\n')
}

export interface CodingOptions {
  /** User turns. */
  readonly turns: number
  /** Tool steps in each. */
  readonly steps: number
  /** Lines of each tool output. */
  readonly lines: number
}

/** A coding session: in each turn a request, files read, one edit, a command, an answer. Turn 0 has an attempt that fails. */
export function codingSession({ turns, steps, lines }: CodingOptions): readonly Message[] {
  const messages: (Message | readonly Message[])[] = [system('You are a careful engineer.')]
  for (let turn = 0; turn < turns; turn++) {
    messages.push(user(`Request ${turn}: make module${turn} load its settings lazily. It must keep the public names.`))
    for (let at = 0; at < steps; at++) {
      const id = `t${turn}s${at}`
      const path = `src/module${turn}/part${at}.ts`
      messages.push(step('read_file', id, { path }, fileText(`m${turn}p${at}`, lines)))
    }
    if (turn === 0) {
      messages.push(call('run', 'fail', { command: 'npm run migrate -- --fast' }))
      messages.push(result('fail', 'Error: migration lock held by worker-7\nexit code 1', { tool: 'run', isError: true }))
    }
    messages.push(step('edit_file', `t${turn}e`, { path: `src/module${turn}/index.ts`, old: 'a', new: 'b' }, 'ok'))
    messages.push(assistant(`I chose lazy loading in module${turn} because start-up reads ${turn + 3} files. Next step: measure module${turn}.`))
  }
  return history(...messages)
}

export const textsOf = (messages: readonly Message[]): string =>
  messages
    .flatMap((message) =>
      message.parts.map((part) => (part.type === 'text' ? part.text : part.type === 'tool-result' ? part.output : part.type === 'tool-call' ? part.input : '')),
    )
    .join('\n')

export const usage = (input: number, more: { cacheRead?: number; cacheWrite?: number; output?: number } = {}) => ({
  input,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  ...more,
})
