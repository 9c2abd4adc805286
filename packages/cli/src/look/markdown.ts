import type { Message, Part, Redactor } from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { many } from '../terminal/amounts.ts'
import { plainLines } from './plain.ts'

/** Ends of long arguments and outputs are left out here: characters of one of them. */
const longest = 8_000

/** In a fence that is longer than any run of backticks inside. */
function fenced(text: string): string {
  const most = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(most + 1)
  const cut = text.length > longest ? `${text.slice(0, longest)}\n[… ${many(text.length - longest, 'character')} more]` : text
  return `${fence}\n${cut}\n${fence}`
}

function partText(part: Part, redact: Redactor): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'tool-call':
      return `Called \`${part.tool}\`:\n\n${fenced(redact(part.input))}`
    case 'tool-result':
      return `\`${part.tool || part.callId}\` ${part.isError === true ? 'failed' : 'returned'}:\n\n${fenced(redact(part.output))}`
    case 'media':
      return `[attachment: ${part.mediaType}]`
    default:
      return ''
  }
}

const titles: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool results',
  system: 'Instructions',
  developer: 'Instructions',
}

/** Messages as Markdown that a model or a person reads: secrets replaced, control characters gone, outputs in fences. The summary stands as it was written. */
export function markdownOf(messages: readonly Message[], redact: Redactor = createRedactor()): string {
  // Before anything is cut: half a secret is not recognized, nor one with a control character in it.
  const clean: Redactor = (text) => redact(plainLines(text))
  const sections = messages.flatMap((message) => {
    const text = message.parts
      .map((part) => partText(part, clean))
      .filter(Boolean)
      .join('\n\n')
    if (text === '') return []
    return [`## ${message.summary !== undefined ? 'Summary of earlier messages' : (titles[message.role] ?? message.role)}\n\n${text}`]
  })
  return clean(sections.join('\n\n'))
}
