import type { Effects } from '../effects.ts'
import { errorName } from '../platform/error-name.ts'
import { boundedStorage } from '../session/bounded.ts'
import type { GivenParts } from '../session/parts.ts'
import { receiveOutput } from '../storage/receive-output.ts'

interface Receiving<M> extends GivenParts<M> {
  readonly outputs: NonNullable<GivenParts<M>['outputs']>
}

/** What a conversation keeps of an output, once the whole is stored. */
export async function receive<M>(
  tool: string,
  output: string | AsyncIterable<string>,
  parts: Receiving<M>,
  effects: Effects,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { redaction, storage, emitter } = parts
  await redaction.ready(boundedStorage(storage, effects))
  const failed = (error: unknown): void =>
    emitter.emit('', [{ event: 'compact.output_store_failed', severity: 'warning', attributes: { reason: errorName(error) } }])
  return receiveOutput(tool, output, { ...parts, redact: redaction.redact, failed, effects }, signal)
}
