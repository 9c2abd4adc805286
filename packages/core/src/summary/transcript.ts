import { callsInFlight, pairToolCalls } from '../history/groups.ts'
import type { Message } from '../history/message.ts'
import { cutMiddle } from '../record/truncate.ts'

/** Characters that one part may take in a transcript for a summarizer; pi takes 2,000 for results. */
interface TranscriptLimits {
  readonly output: number
  readonly input: number
  readonly text: number
}

const transcriptLimits: TranscriptLimits = { output: 2_000, input: 1_500, text: 8_000 }

/** How much each role's words count: twice the weight, twice the characters. */
export interface RoleWeights {
  readonly user: number
  readonly assistant: number
  readonly tool: number
}

const evenWeights: RoleWeights = { user: 1, assistant: 1, tool: 1 }

/**
 * Messages as plain text, one block each, with their index: calls with their arguments, results cut in the middle.
 * Plain text needs no tool definitions and cannot break the pairing rules of any provider. Calls at the end that nobody has answered are left out:
 * what came of them is not known yet.
 *
 * @returns One string per index, in order.
 */
export function renderTranscript(messages: readonly Message[], indices: readonly number[], weights: RoleWeights = evenWeights): readonly string[] {
  const tools = new Map<string, string>()
  const limits = transcriptLimits
  const open = callsInFlight(messages, pairToolCalls(messages))
  return indices.map((index) => {
    const message = messages[index]
    if (message === undefined) return ''
    const lines: string[] = []
    for (const part of message.parts) {
      switch (part.type) {
        case 'text':
          lines.push(
            `[${index}] ${message.role}: ${cutMiddle(part.text, Math.ceil(limits.text * (message.role === 'user' ? weights.user : weights.assistant)))}`,
          )
          break
        case 'reasoning':
          if (part.text !== '') lines.push(`[${index}] ${message.role} thinks: ${cutMiddle(part.text, Math.ceil(limits.output * weights.assistant))}`)
          break
        case 'tool-call':
          tools.set(part.callId, part.tool)
          if (!open.has(index)) lines.push(`[${index}] assistant calls ${part.tool}: ${cutMiddle(part.input, Math.ceil(limits.input * weights.assistant))}`)
          break
        case 'tool-result':
          lines.push(
            `[${index}] tool ${part.tool || tools.get(part.callId) || ''} ${part.isError === true ? 'failed' : 'returned'}: ${cutMiddle(part.output, Math.ceil(limits.output * weights.tool))}`,
          )
          break
        case 'media':
          lines.push(`[${index}] ${message.role}: (attached ${part.mediaType}${part.name === undefined ? '' : ` ${part.name}`})`)
          break
        case 'approval':
          lines.push(`[${index}] approval ${part.state}`)
          break
        case 'opaque':
        case 'marker':
          break
      }
    }
    return lines.join('\n')
  })
}
