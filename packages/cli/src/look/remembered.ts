import type { Message } from '@precis/core'
import { type CompactSettings, sessionOf } from '../compact.ts'
import { many } from '../terminal/amounts.ts'
import type { Transcript } from '../transcripts/transcript.ts'
import { previewOf } from './diff.ts'
import { markdownOf } from './markdown.ts'
import { plain } from './plain.ts'

/** What a model would be shown now, layer by layer. */
export interface RememberedLayer {
  readonly name: string
  readonly layers: readonly { readonly layer: 'pinned' | 'recent' | 'older'; readonly index: number; readonly role: string; readonly preview: string }[]
  readonly summary?: string
  /** The messages that would be sent, in order. */
  readonly context: readonly Message[]
  /** Messages that the summary stands for. */
  readonly represented: number
}

/** What a model with this window would be shown now: compacted first, if it has to be. */
export async function rememberedOf(transcript: Transcript, settings: CompactSettings): Promise<RememberedLayer> {
  const session = sessionOf(transcript, settings)
  const { messages } = await session.beforeModelCall(transcript.messages)
  const memory = session.remembered(transcript.messages)
  const layers = (['pinned', 'older', 'recent'] as const).flatMap((layer) =>
    memory[layer].map((index) => {
      const message = transcript.codec.read(transcript.messages[index])
      return { layer, index, role: message.role, preview: previewOf(message) }
    }),
  )
  const { summary } = memory
  return {
    name: transcript.name,
    layers,
    ...(summary !== undefined && { summary: [summary.retained, summary.text, summary.record].filter(Boolean).join('\n\n') }),
    context: messages.map((message) => transcript.codec.read(message)),
    represented: memory.represented.length,
  }
}

/** The same as the Markdown that a model would read: the summary first, then each message that stays, whole. */
export function renderRemembered({ name, layers, summary, represented, context }: RememberedLayer): string {
  const count = (layer: string): string => `${layer} (${layers.filter((entry) => entry.layer === layer).length})`
  const head = `# ${plain(name)}: what is remembered\n\nWord for word: ${['pinned', 'older', 'recent'].map(count).join(', ')}; ${
    summary === undefined ? 'no summary: everything is still there' : `a summary of ${many(represented, 'message')}`
  }.`
  return `${head}\n\n${markdownOf(context)}`
}
