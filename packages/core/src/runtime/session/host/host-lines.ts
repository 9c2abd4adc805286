import { omitUndefined } from '../../../history/omit-undefined.ts'
import { errorName } from '../../platform/error-name.ts'
import type { CompactorParts } from './parts.ts'

/** What the host has to say to a summarizer now; nothing where it failed or was late. */
export async function hostLines<M>(
  { directives, effects }: Pick<CompactorParts<M>, 'directives' | 'effects'>,
  session: string,
  focus: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (directives === undefined) return []
  try {
    const lines = await effects.wait('directives', async () => directives({ session, ...omitUndefined({ focus }) }), signal)
    return (typeof lines === 'string' ? [lines] : [...lines]).map(String)
  } catch (error) {
    signal?.throwIfAborted()
    effects.note(`directives failed (${errorName(error)}): the summary was asked for without them`)
    return []
  }
}
