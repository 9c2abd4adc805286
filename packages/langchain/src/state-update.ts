/**
 * A `Command` of LangGraph that writes to the state beside a model's reply. By its shape, as LangGraph knows them: its package need not be installed where
 * only a chat model is wrapped, and two copies of it do no harm.
 */
export function stateUpdate(update: Readonly<Record<string, unknown>>): object {
  return {
    lg_name: 'Command',
    lc_direct_tool_output: true,
    update,
    goto: [],
    _updateAsTuples: () => Object.entries(update),
    toJSON: () => ({ lg_name: 'Command', update, goto: [] }),
  }
}
