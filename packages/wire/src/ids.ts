/** Begins the ids of calls that came without one: nobody else knows them, so they are not written. */
export const madeUp = 'unnamed-'

/** Tells which call a result answers. */
export interface Ids {
  /** The id of a call: its own, or one that is made up. */
  asked(id: unknown, tool: unknown): string
  /** The id of the call that a result answers; where no call is open for it, its own, or "". */
  answered(id: unknown, tool: unknown): string
}

interface OpenCall {
  readonly callId: string
  readonly tool: unknown
  readonly hasId: boolean
}

const isId = (id: unknown): id is string => typeof id === 'string' && id !== ''

/**
 * Ids for calls and results, each with or without one. An id that a call has is that call's. A result without an id answers the oldest open call of its tool,
 * or the oldest of all; one with an id that no call has, a call without one. The same for the same conversation, however often it is read.
 */
export function createIds(): Ids {
  const open: OpenCall[] = []
  const known = new Set<string>()
  let calls = 0
  const close = (call: OpenCall | undefined): string | undefined => {
    if (call !== undefined) open.splice(open.indexOf(call), 1)
    return call?.callId
  }
  return {
    asked(id, tool) {
      const callId = isId(id) ? id : `${madeUp}${++calls}`
      known.add(callId)
      open.push({ callId, tool, hasId: isId(id) })
      return callId
    },
    answered(id, tool) {
      if (isId(id) && known.has(id)) {
        close(open.find(({ callId }) => callId === id))
        return id
      }
      // A call that has an id is left to a result that names it, while there are others of its tool.
      const unnamed = open.find((one) => !one.hasId && one.tool === tool)
      const other = isId(id) ? open.find((one) => !one.hasId) : (open.find((one) => one.tool === tool) ?? open[0])
      return close(unnamed ?? other) ?? (isId(id) ? id : '')
    },
  }
}
