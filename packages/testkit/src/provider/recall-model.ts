import type { PromptEntry } from './prompt.ts'

/** One thing the model does: a call, with arguments that may need to be remembered. */
export interface ScenarioStep {
  readonly tool: string
  /** `recall` searches the request, and nothing else. */
  readonly input: (recall: Recall) => Readonly<Record<string, unknown>>
  readonly say?: string
}

/** A question the user may ask, and where its answer stood. */
export interface ScenarioQuestion {
  /** Stands in the user's message. */
  readonly asks: string
  /** First group: the fact. */
  readonly pattern: RegExp
}

export interface Scenario {
  readonly steps: readonly ScenarioStep[]
  readonly questions?: readonly ScenarioQuestion[]
  readonly final: string
}

/** The first group of the pattern's first match anywhere in the request; undefined when it is not there. */
export type Recall = (pattern: RegExp) => string | undefined

/** What a request declares besides its messages. */
export interface Declared {
  /** Names of its tools. */
  readonly tools: readonly string[]
  /** As the request has it. */
  readonly toolChoice?: unknown
}

export interface ModelReply {
  readonly text: string
  /** What it thinks before that. Sent as the provider's own reasoning, signed or with an id: it has to come back as it was. */
  readonly thinking?: string
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: string }[]
}

/** What the model says where it does not find a fact. */
export const unknownAnswer = 'I do not know.'

/**
 * A deterministic model whose only memory is the request: where it stands in the scenario it reads from the newest call it finds there,
 * facts from earlier it takes from the text or not at all. It makes task continuation measurable without a real model.
 */
export function recallModel(scenario: Scenario): (prompt: readonly PromptEntry[]) => ModelReply {
  return (prompt) => {
    const last = prompt.at(-1)
    const text = (entries: readonly PromptEntry[]): string => entries.map((entry) => entry.text).join('\n')
    const newest = prompt.findLastIndex((entry) => entry.role === 'user' && !entry.isResult)
    const asked =
      last !== undefined && !last.isResult && last.role === 'user' ? scenario.questions?.find((question) => last.text.includes(question.asks)) : undefined
    if (asked !== undefined) {
      // The question itself is no source for its answer.
      const fact = asked.pattern.exec(text(prompt.filter((_, at) => at !== newest)))?.[1]
      return { text: fact ?? unknownAnswer, calls: [] }
    }
    const next = stepNumber(prompt) + 1
    const step = scenario.steps[next]
    if (step === undefined) return { text: scenario.final, calls: [] }
    const all = text(prompt)
    const input = step.input((pattern) => pattern.exec(all)?.[1])
    return { text: step.say ?? '', calls: [{ id: `step_${next}`, tool: step.tool, input: JSON.stringify(input) }] }
  }
}

/** Number of the newest step in sight; −1 when none is: a model that forgot everything begins again. */
function stepNumber(prompt: readonly PromptEntry[]): number {
  let newest = -1
  for (const entry of prompt) {
    for (const id of entry.callIds) {
      const match = /step_(\d+)$/.exec(id)
      if (match !== null) newest = Math.max(newest, Number(match[1]))
    }
  }
  return newest
}
