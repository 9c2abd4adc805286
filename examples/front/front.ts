/** The window of every model here, and the longest reply, in Tokens. */
export const limits = { contextWindow: 12_000, maxOutput: 500 }

/** With nothing, with what the framework brings along, with Précis, with Précis without look-ups. */
export type Way = 'bare' | 'means' | 'precis' | 'off'

/** Our options in two of them. */
export const optionsOf = (way: 'precis' | 'off') => ({
  limits,
  recall: way === 'off' ? ('off' as const) : ('on' as const),
})

/** One framework, as its users write an agent. */
export interface Front {
  readonly name: string
  /** What it has itself for long conversations; undefined where another wire has shown it. */
  readonly means?: string
  chat(way: Way, url: string): Chat
}

/** One conversation: a request, an answer; and how many steps its framework has seen so far. */
interface Chat {
  ask(content: string): Promise<string>
  steps(): number
}
