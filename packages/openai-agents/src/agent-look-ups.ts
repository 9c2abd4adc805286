/** What one call of our tool finds. */
type LookUp = (input: unknown) => Promise<string>

/** Calls of one wrapped provider or model that wait for the agent's own tool. */
const mostWaiting = 200
const owners = new WeakMap<object, Map<string, LookUp>>()

/** The look-up behind one call; undefined where it was not made through this owner. */
export function lookUpOf(owner: object, callId: string): LookUp | undefined {
  return owners.get(owner)?.get(callId)
}

/** The agent will answer this call, from the history that stood behind it. */
export function awaitLookUp(owner: object, callId: string, lookUp: LookUp): void {
  const waiting = owners.get(owner) ?? new Map<string, LookUp>()
  owners.set(owner, waiting)
  if (waiting.size >= mostWaiting) waiting.delete(waiting.keys().next().value as string)
  waiting.set(callId, lookUp)
}
