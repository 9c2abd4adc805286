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

/** What stands in the graph's state under these keys from now on. */
export function stateUpdate(update: Readonly<Record<string, unknown>>): object {
  return new StateUpdate(update)
}
