import { InvalidConfigurationError } from '../../errors.ts'
import type { Effects } from '../effects.ts'
import { isDisabled } from '../platform/disabled.ts'
import { errorName } from '../platform/error-name.ts'
import { boundedStorage } from '../session/host/bounded.ts'
import type { Guard } from '../session/host/guard.ts'
import type { GivenParts } from '../session/host/parts.ts'
import { receiveOutput } from '../storage/receive-output.ts'

/** What a conversation keeps of an output, once the whole is stored. Of a stream nothing is left to go back to: only a text has a way around this. */
export function receive<M>(
  tool: string,
  output: string | AsyncIterable<string>,
  parts: GivenParts<M>,
  guard: Guard,
  effects: Effects,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { outputs } = parts
  if (outputs === undefined) throw new InvalidConfigurationError('outputs', null, 'write createToolOutputStore(storage)')
  const received = () => save(tool, output, { ...parts, outputs }, effects, signal)
  if (typeof output === 'string') return guard(received, () => output, signal)
  return isDisabled() ? wholeOf(output) : received()
}

async function wholeOf(output: AsyncIterable<string>): Promise<string> {
  let whole = ''
  for await (const piece of output) whole += piece
  return whole
}

interface Receiving<M> extends GivenParts<M> {
  readonly outputs: NonNullable<GivenParts<M>['outputs']>
}

async function save<M>(
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
