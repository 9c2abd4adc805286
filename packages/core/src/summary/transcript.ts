import { readValue } from '../history/attachment.ts'
import { callsInFlight, pairToolCalls } from '../history/groups.ts'
import { type Message, mediaIn, type Part } from '../history/message.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import { authorOf } from '../record/facts/facts.ts'
import { attachmentNote, quotedTurn } from '../record/texts/quote.ts'
import { cutMiddle, oneLine } from '../record/texts/truncate.ts'

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
 * Messages as plain text, one block each, with their index: calls with their arguments, results cut in the middle. A line that begins with `[number]`
 * says who speaks up to the next one; lines of theirs that look so have a backslash in front.
 * Plain text needs no tool definitions and cannot break the pairing rules of any provider. Calls at the end that nobody has answered are left out:
 * what came of them is not known yet.
 *
 * @returns One string per index, in order.
 */
export function renderTranscript(messages: readonly Message[], indices: readonly number[]): readonly string[] {
  return finished(transcriptInPieces(messages, indices))
}

/** The same in pieces. */
export function* transcriptInPieces(messages: readonly Message[], indices: readonly number[], weights: RoleWeights = evenWeights): Pieces<readonly string[]> {
  const tools = new Map<string, string>()
  const { text, input, output } = transcriptLimits
  const open = callsInFlight(messages, pairToolCalls(messages))
  const blocks: string[] = []
  for (const index of indices) {
    yield
    const message = messages[index]
    if (!message) {
      blocks.push('')
      continue
    }
    const lines: string[] = []
    for (const part of message.parts) {
      if (part.type === 'tool-call') {
        tools.set(part.callId, part.tool)
        if (open.has(index)) continue
      }
      if (part.type === 'opaque' || (part.type === 'reasoning' && part.text === '')) continue
      const limit =
        part.type === 'text'
          ? text * (message.role === 'user' ? weights.user : weights.assistant)
          : part.type === 'tool-result'
            ? output * weights.tool
            : (part.type === 'tool-call' ? input : output) * weights.assistant
      const line = renderPart(message, part, index, Math.ceil(limit), tools)
      if (line !== '') lines.push(line)
    }
    blocks.push(lines.join('\n'))
  }
  return blocks
}

/** All of a message, nothing cut. */
export function renderWhole(message: Message, index: number): string {
  return message.parts
    .map((part) => renderPart(message, part, index, Infinity))
    .filter(Boolean)
    .join('\n')
}

function renderPart(message: Message, part: Part, index: number, limit: number, tools: ReadonlyMap<string, string> = new Map()): string {
  const label = `[${index}] ${authorOf(message, part)}`
  const told = (text: string): string => quotedTurn(cutMiddle(text, limit))
  switch (part.type) {
    case 'text':
      return `${label}: ${told(part.text)}`
    case 'reasoning':
      return `${label} thinks: ${told(part.text)}`
    case 'tool-call':
      return `${label} calls ${oneLine(part.tool, 80)}: ${told(part.input)}`
    case 'tool-result': {
      const tool = `${label} ${oneLine(part.tool || tools.get(part.callId) || '', 80)}`
      const attached = mediaIn(part).map((media) => `${tool} attached ${attachmentNote(media)}`)
      return [`${tool} ${part.isError ? 'failed' : 'returned'}: ${told(part.output)}`, ...attached].join('\n')
    }
    case 'media':
      return `${label} attached ${attachmentNote(part)}`
    case 'approval':
      return `[${index}] approval ${part.state}`
    case 'opaque':
      return `[${index}] item ${oneLine(part.kind, 80)}: ${part.value === undefined ? '' : quotedTurn(readValue(part.value).text)}`
    case 'marker':
      return ''
  }
}

/** Who speaks at a place of a block, as in `[4] tool read returned`: the mark of the last part that begins in its line or before. */
export function speakerAt(block: string, at: number): string {
  const end = block.indexOf('\n', at)
  return /^[\s\S]*^(\[\d+\] [^\n:]*):/m.exec(end < 0 ? block : block.slice(0, end))?.[1] ?? ''
}
