import type { CompactionEvent } from './events.ts'
import type { Exporter } from './exporter.ts'
import { settled } from './settled.ts'

/** The queue of one exporter. */
export interface Lane {
  push(events: readonly CompactionEvent[]): void
  idle(): Promise<void>
}

/** Each exporter by itself, once it has what was emitted. At the end of the time those that still export are ended too, and nothing is waited for. */
export async function ended(exporters: readonly Exporter[], lanes: readonly Lane[], end: (exporter: Exporter) => unknown, milliseconds = 5_000): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  const ending = exporters.map(async (exporter, at) => {
    await Promise.race([lanes[at]?.idle(), late])
    await settled(() => end(exporter))
  })
  await Promise.race([Promise.all(ending), late])
  clearTimeout(timer)
}
