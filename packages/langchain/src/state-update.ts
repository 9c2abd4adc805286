/**
 * A `Command` of LangGraph that writes to the state beside a model's reply. By its shape, as LangGraph knows them (never a plain object, from 1.7 on): its package
 * need not be installed where only a chat model is wrapped, and two copies of it do no harm.
 */
class StateUpdate {
  readonly lg_name = 'Command'
  readonly lc_direct_tool_output = true
  readonly goto: readonly string[] = []
  readonly update: Readonly<Record<string, unknown>>

  constructor(update: Readonly<Record<string, unknown>>) {
    this.update = update
  }

  _updateAsTuples(): readonly (readonly [string, unknown])[] {
    return Object.entries(this.update)
  }

  toJSON(): object {
    return { lg_name: this.lg_name, update: this.update, goto: this.goto }
  }
}

/**
 * Updates of the graph's state, one for each step: other middleware may call the model more than once in a step, and LangGraph takes no two values of one key. Those
 * behind the first go with it.
 * @returns By the messages that the step began with: what to return in the place of the reply; undefined for one that goes with another.
 */
export function updatingOnce(): (step: object, update: Readonly<Record<string, unknown>>) => object | undefined {
  const written = new WeakMap<object, Readonly<Record<string, unknown>>>()
  return (step, update) => {
    const first = written.get(step)
    if (first !== undefined) {
      Object.assign(first, update)
      return undefined
    }
    const own = { ...update }
    written.set(step, own)
    return new StateUpdate(own)
  }
}
