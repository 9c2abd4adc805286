import type { Redactor } from '../../privacy/redactor.ts'
import type { StorageDriver } from './driver.ts'
import { writePieces } from './output-pieces.ts'
import { referenceOf } from './output-reference.ts'
import { type Manifest, manifestKey, refOf, storedManifest, type ToolOutputRef } from './output-store.ts'

const day = 86_400_000

/** Outputs that one process remembers to have stored. */
const mostKnown = 1_000

/** Stores an output, or what is stored under its content already for as long again. @param known What this process has stored, by id. */
export async function saveOutput(
  driver: StorageDriver,
  known: Map<string, Manifest>,
  output: string | AsyncIterable<string>,
  redact: Redactor | undefined,
  signal: AbortSignal | undefined,
): Promise<ToolOutputRef> {
  const put = async (manifest: Manifest): Promise<void> => {
    await driver.put(manifestKey(manifest.id), JSON.stringify(manifest), signal === undefined ? {} : { signal })
  }
  const id = typeof output === 'string' ? referenceOf(output) : `out-${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`
  // Another process may have deleted what this one remembers, and may delete what was stored before.
  const before = typeof output === 'string' ? await storedManifest(driver, id) : undefined
  if (before !== undefined) {
    const { leaving, ...rest } = before
    // Whoever stores it again needs it as long as one who stores it now: said once a day, and to whoever is about to delete it.
    if (leaving || Date.now() - (before.at ?? 0) > day) await put({ ...rest, at: Date.now() })
    return refOf(before)
  }
  const manifest = await writePieces(driver, id, output, redact, signal)
  // Written last: an output without it was never stored.
  await put(manifest)
  if (known.size >= mostKnown) known.delete(known.keys().next().value as string)
  known.set(id, manifest)
  return refOf(manifest)
}
