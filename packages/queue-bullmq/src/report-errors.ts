/** What a host is told of a Redis that is away or refuses. */
export type OnError = (error: Error) => unknown

/** A queue or a worker of BullMQ. */
interface Source {
  readonly closing: Promise<void> | undefined
  on(event: 'error', listener: (error: Error & { readonly code?: unknown }) => void): unknown
}

/** What a code of Node or the first word of a reply of Redis says: `ECONNREFUSED`, `WRONGPASS`. */
const reason = /^[A-Z][A-Z\d_]{2,60}(?![a-z])/

/** Tells of each failure of a connection, in words of ours: the client's own error may hold an address or a password. Without a listener the console is told, of each reason once. */
export function reportErrors(of: Source, name: string, onError: OnError | undefined): void {
  const said = new Set<string>()
  of.on('error', (error) => {
    if (of.closing !== undefined) return
    const [why] = reason.exec(String(error.code ?? '')) ?? reason.exec(error.message) ?? []
    // Neither Node's nor Redis's: a lease that a job lost, say, which is another job's matter.
    if (why === undefined) return
    const words = `Redis does not serve the queue "${name}" (${why}). It is tried again; until then no summary is written ahead by it.`
    if (onError === undefined && !said.has(why)) console.warn(`[precis] ${words}`)
    said.add(why)
    told(onError, new Error(words))
  })
}

/** A listener that fails is no failure of the queue. */
function told(onError: OnError | undefined, error: Error): void {
  try {
    Promise.resolve(onError?.(error)).catch(() => {})
  } catch {}
}
