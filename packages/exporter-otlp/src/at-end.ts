/** Exporters of this process for which something waits: each says how to send it. */
const waiting = new Set<() => unknown>()
let isHeard = false

/** Has something called, once, when nothing keeps the process any more: a program that ends by itself. One that calls `process.exit` is not waited for. */
export function atEnd(send: () => unknown): void {
  waiting.add(send)
  if (isHeard) return
  isHeard = true
  // Absent outside Node.js and what is like it.
  const { process } = globalThis as { readonly process?: { on?(event: 'beforeExit', listener: () => void): unknown } }
  process?.on?.('beforeExit', () => {
    const all = [...waiting]
    waiting.clear()
    for (const one of all) one()
  })
}

/** Nothing waits any more. */
export function notAtEnd(send: () => unknown): void {
  waiting.delete(send)
}
