// Reads a log and replays it, away from the page: a long conversation takes seconds. Nothing is fetched and nothing is sent.
import { parseTranscripts, reportData, type Transcript, TranscriptError } from '@precis/cli/report'
import { presets } from '@precis/core'
import { type Asked, type Told, windows } from './asked.ts'

const tell = (told: Told): void => postMessage(told)

addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  try {
    const transcripts = parseTranscripts(data.text, data.name)
    tell({ kind: 'read', conversations: transcripts.map(({ name, messages }) => `${name} (${messages.length} messages)`) })
    const transcript = transcripts[data.at] ?? transcripts[0]
    if (transcript === undefined) return
    const report = await reportData(transcript, {
      window: data.window > 0 ? data.window : outgrown(transcript),
      policy: presets[data.preset],
      ...(data.dollarsPerMillion !== undefined && { dollarsPerMillion: data.dollarsPerMillion }),
      onProgress: (done, all) => tell({ kind: 'progress', done, all }),
    })
    tell({ kind: 'report', report })
  } catch (error) {
    const hint = error instanceof TranscriptError ? error.hint : undefined
    tell({ kind: 'refused', message: [(error as Error).message, hint].filter(Boolean).join(' ') })
  }
})

/** The largest window that this conversation fills twice; the smallest for a short one. */
function outgrown({ messages, codec }: Transcript): number {
  const characters = messages.reduce((sum: number, message) => sum + JSON.stringify(codec.read(message)).length, 0)
  return windows.findLast((window) => window * 2 <= characters / 4) ?? Math.min(...windows)
}
