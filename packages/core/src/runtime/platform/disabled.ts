import type { RecallMode, RecallOption } from '../../recall/offer.ts'

/**
 * The last resort of whoever runs a program and cannot change it: with `PRECIS_DISABLED=1` (or `true`, `yes`, `on`) in the environment requests go out as they came,
 * nothing is learned, stored or written, and no tool of ours is offered. Read at each call. False where there is no environment, as in browsers.
 */
export function isDisabled(): boolean {
  return /^(1|true|yes|on)$/i.test(setting('PRECIS_DISABLED'))
}

/** With `PRECIS_RECALL=off` (or `0`, `false`, `no`) no model is offered to look anything up, whatever the program says. Read at each call. */
export function recallMode(wanted: RecallOption = 'on'): RecallMode {
  return /^(off|0|false|no)$/i.test(setting('PRECIS_RECALL')) ? 'off' : wanted === 'asked' ? 'on' : wanted
}

function setting(name: string): string {
  try {
    const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }
    return process?.env?.[name]?.trim() ?? ''
  } catch {
    return '' // some runtimes ask for a permission first
  }
}
