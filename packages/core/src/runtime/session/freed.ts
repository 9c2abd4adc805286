/** What a lease says of its holder. */
export interface Holder {
  readonly owner: string
  /** Milliseconds since 1970, by the clock of whoever wrote it. */
  readonly until: number
  /** Somebody waited for it in vain: its holder is slow, or dead. */
  readonly waited?: boolean
}

/** Who holds it, where somebody does, and which version of the object says so. */
export interface Look {
  readonly held: Holder | undefined
  readonly version: string | null
}

/** Milliseconds between two looks. */
const interval = 200

interface Leasing {
  look(key: string): Promise<Look>
  write(key: string, held: Holder, version: string | null): Promise<unknown>
  /** Begins a wait: what the looks take of it is not the storage's delay. */
  begin(): void
}

/** Waits until nobody holds a lease. Whoever waited in vain notes that in it: nobody else waits for this one. */
export async function freed({ look, write, begin }: Leasing, key: string, milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  for (let waited = 0; ; waited += interval) {
    signal?.throwIfAborted()
    begin()
    const { held, version } = await look(key).catch((): Look => ({ held: undefined, version: null }))
    if (held === undefined) return true
    if (held.waited === true) return false
    if (waited >= milliseconds) {
      await write(key, { ...held, waited: true }, version).catch(() => {})
      return false
    }
    await new Promise((resolve) => setTimeout(resolve, interval))
  }
}
