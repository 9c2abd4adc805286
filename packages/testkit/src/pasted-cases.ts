import { ok } from 'node:assert/strict'
import { createCompactor, type Message, type PolicyOverrides } from '@precis/core'
import type { AdapterCase, AdapterUnderTest } from './adapter-case.ts'
import { assistant, history, step, user } from './builders.ts'

const said = 'From now on never touch package.json, and keep port 4242.'
const rounds = 10

const ways: Readonly<Record<string, (summary: string) => readonly string[]>> = {
  'behind it': (summary) => [`${summary}\n\n${said}`],
  'behind it, on its last line': (summary) => [`${summary} ${said}`],
  'in a second part': (summary) => [summary, said],
  'in front of it': (summary) => [`${said}\n\n${summary}`],
  'between two of them': (summary) => [`${summary}\n\n${said}\n\n${summary}`],
  'behind half of it': (summary) => [`${summary.slice(0, summary.length / 2)}\n\n${said}`],
  'behind most of it, with more before it': (summary) => [`${summary.slice(0, summary.length * 0.9)}\n\nLook at this.\n\n${said}`],
  'in front of half of it': (summary) => [`${said}\n\n${summary.slice(0, summary.length / 2)}`],
  'in front of the other half': (summary) => [`${said}\n\n${summary.slice(summary.length / 2)}`],
}

/** A request, steps whose outputs are full of names, an answer. */
const stretch = (round: number, request: string): readonly Message[] => {
  const lines = (at: number): string =>
    Array.from({ length: 40 }, (_, line) => `${line + 1}: export const part${round}x${at}Value${line} = load('${round}/${at}/${line}.json')`).join('\n')
  const steps = Array.from({ length: 6 }, (_, at) => step('read_file', `r${round}s${at}`, { path: `src/part${round}/file${at}.ts` }, lines(at)))
  return history(user(request), ...steps, assistant(`Part ${round} is done: it loads ${round + 3} files.`))
}

/** A user pastes a summary of ours and says something beside it: that is theirs, however often the conversation is compacted. */
export const pastedCases: readonly AdapterCase[] = Object.entries(ways).map(([way, texts]) => ({
  name: `what a user says ${way}, where they paste a summary of ours, stays through ${rounds} compactions`,
  async run<M>(adapter: AdapterUnderTest<M>) {
    const { codec, make, splits } = adapter
    const own = (messages: readonly Message[]): readonly M[] =>
      messages
        .flatMap((message) => (splits === undefined || message.parts.length === 1 ? [message] : message.parts.map((part) => ({ ...message, parts: [part] }))))
        .map((message) => make(message))
    const shown = (messages: readonly M[]): string =>
      messages
        .flatMap((message) => codec.read(message).parts)
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('\n')
    const compacted = async (messages: readonly M[]): Promise<readonly M[]> => {
      const policy: PolicyOverrides = { prune: { ladder: [] }, retain: { turns: 1, tokens: { tokens: 500 } } }
      const session = createCompactor<M>({ codec, limits: { contextWindow: 12_000, maxOutput: 1_000 }, policy }).session('pasted')
      return (await session.compact(messages)).messages
    }
    const requests = ['Migrate the ledger.', 'Mind the tests.', 'Keep the old names.', 'And?']
    const first = shown(await compacted(own(requests.flatMap((request, at) => stretch(100 + at, request)))))
    for (const request of requests) ok(first.includes(request), request)
    const summary = first.slice(first.indexOf('<context-summary'), first.lastIndexOf('</context-summary>') + '</context-summary>'.length)
    const pasted: Message = { role: 'user', parts: texts(summary).map((text) => ({ type: 'text', text })) }
    for (const next of ['what came out', 'all that was said']) {
      let messages = own([...stretch(0, 'Read the code.'), pasted, assistant('I see.')])
      for (let round = 1; round <= rounds; round++) {
        messages = [...messages, ...own(stretch(round, `Now part ${round}.`))]
        const context = await compacted(messages)
        ok(shown(context).includes(said), `after round ${round}, handed in: ${next}`)
        if (next === 'what came out') messages = context
      }
    }
  },
}))
