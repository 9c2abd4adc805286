/** What one call of our tool finds. */
type LookUp = (input: unknown) => Promise<string>

/** Calls of one model that wait for the agent's own tool. */
const mostWaiting = 200
const models = new WeakMap<object, Map<string, LookUp>>()

/** The look-up behind one call of a wrapped model; undefined where that model did not make it. */
export function lookUpOf(model: object, callId: string): LookUp | undefined {
  return models.get(model)?.get(callId)
}

/** The agent will answer this call, from the history that stood behind it. */
export function awaitLookUp(model: object, callId: string, lookUp: LookUp): void {
  const waiting = models.get(model) ?? new Map<string, LookUp>()
  models.set(model, waiting)
  if (waiting.size >= mostWaiting) waiting.delete(waiting.keys().next().value as string)
  waiting.set(callId, lookUp)
}
