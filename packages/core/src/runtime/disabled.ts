/**
 * The last resort of whoever runs a program and cannot change it: with `PRECIS_DISABLED=1` (or `true`) in the environment requests go out as they came,
 * nothing is learned, stored or written, and no tool of ours is offered. Read at each call. False where there is no environment, as in browsers.
 */
export function isDisabled(): boolean {
  try {
    const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }
    const value = process?.env?.['PRECIS_DISABLED']
    return value === '1' || value === 'true'
  } catch {
    return false // some runtimes ask for a permission first
  }
}
