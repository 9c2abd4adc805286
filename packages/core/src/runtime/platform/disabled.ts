import type { RecallMode, RecallOption } from '../../recall/offer.ts'

/**
 * The last resort of whoever runs a program and cannot change it: with `PRECIS_DISABLED=1` (or `true`) in the environment requests go out as they came,
 * nothing is learned, stored or written, and no tool of ours is offered. Read at each call. False where there is no environment, as in browsers.
 */
export function isDisabled(): boolean {
  const value = setting('PRECIS_DISABLED')
  return value === '1' || value === 'true'
}

/** With `PRECIS_RECALL=off` no model is offered to look anything up, whatever the program says. Read at each call. */
export function recallMode(wanted: RecallOption = 'on'): RecallMode {
  return setting('PRECIS_RECALL') === 'off' ? 'off' : wanted === 'asked' ? 'on' : wanted
}

function setting(name: string): string | undefined {
  try {
    const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }
    return process?.env?.[name]
  } catch {
    return undefined // some runtimes ask for a permission first
  }
}
