import { hash } from 'node:crypto'
import { logsOf, type OnUnfinished, type Progress } from '../transcripts/log.ts'
import { createInspection, type Inspection } from './inspect.ts'

/** Where the tokens of a file's conversations are, read piece by piece. @throws TranscriptError */
export async function inspectLogs(path: string, onProgress?: Progress, onUnfinished?: OnUnfinished): Promise<readonly Inspection[]> {
  const found: Inspection[] = []
  for await (const { name, format, codec, messages, usage } of logsOf(path, onProgress, onUnfinished)) {
    const inspection = createInspection(name, format, (output) => hash('sha1', output))
    for await (const message of messages) inspection.add(codec.read(message))
    found.push(inspection.result(usage?.()))
  }
  return found
}
