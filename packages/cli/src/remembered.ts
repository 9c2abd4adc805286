import { type CompactSettings, sessionOf } from './compact.ts'
import { previewOf } from './diff.ts'
import type { Transcript } from './transcript.ts'

/** What a model would be shown now, layer by layer. */
export interface RememberedLayer {
  readonly name: string
  readonly layers: readonly { readonly layer: 'pinned' | 'recent' | 'older'; readonly index: number; readonly role: string; readonly preview: string }[]
  readonly summary?: string
  /** Messages that the summary stands for. */
  readonly represented: number
}

/** What a model with this window would be shown now: compacted first, if it has to be. */
export async function rememberedOf(transcript: Transcript, settings: CompactSettings): Promise<RememberedLayer> {
  const session = sessionOf(transcript, settings)
  await session.beforeModelCall(transcript.messages)
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
    represented: memory.represented.length,
  }
}

/** The same as text, for a terminal. */
export function renderRemembered({ name, layers, summary, represented }: RememberedLayer): string {
  const lines = [`${name}: what is remembered`]
  for (const layer of ['pinned', 'older', 'recent'] as const) {
    const own = layers.filter((entry) => entry.layer === layer)
    lines.push(`${layer} (${own.length})`)
    for (const { index, role, preview } of own) lines.push(`  ${String(index).padStart(4)} ${role.padEnd(9)} ${preview}`)
  }
  lines.push(summary === undefined ? 'no summary: everything is still there' : `summary of ${represented} messages\n${summary.replace(/^/gm, '  ')}`)
  return lines.join('\n')
}
