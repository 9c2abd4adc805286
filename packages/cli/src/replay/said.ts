import type { Message } from '@precis/core'

/** A message as the harness sees it: who, and everything it says. */
export interface Said {
  readonly role: string
  readonly text: string
  /** More of the reply that the assistant's message before begins: no call of its own. */
  readonly continues?: true
}

export const beginsReply = ({ role, continues }: Said): boolean => role === 'assistant' && continues !== true

/** Whether a call of the model is replayed at this message: at the beginning of each reply but a first one. */
export const isCall = (message: Said, at: number): boolean => at > 0 && beginsReply(message)

/** Whether a message goes on with the reply before it: of OpenAI's items, which Codex writes down too, a reply has several, up to the next output. */
export const continues = (before: Message | undefined, { role, item }: Message): boolean =>
  role === 'assistant' && item === true && before?.role === 'assistant'

/** Everything that a message says: words and outputs, then calls with their arguments, escapes in them undone. */
export function saidBy({ parts }: Message): string {
  const words = parts.flatMap((part) => (part.type === 'text' || part.type === 'reasoning' ? [part.text] : part.type === 'tool-result' ? [part.output] : []))
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [`${part.tool} ${unescaped(part.input)}`] : []))
  return [words.join('\n'), ...calls].join('\n')
}

function unescaped(input: string): string {
  try {
    return Object.entries(JSON.parse(input) as Record<string, unknown>)
      .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n')
  } catch {
    return input
  }
}
