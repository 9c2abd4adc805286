import type { PromptEntry } from './prompt.ts'

/** One thing the model does: a call, with arguments that may need to be remembered. */
export interface ScenarioStep {
  readonly tool: string
  /** `recall` searches the request, and nothing else. */
  readonly input: (recall: Recall) => Readonly<Record<string, unknown>>
  readonly say?: string
  /** What it looks up, once, where `recall` found nothing and the request offers a tool for that. */
  readonly needs?: string
}

/** A question the user may ask, and where its answer stood. */
export interface ScenarioQuestion {
  /** Stands in the user's message. */
  readonly asks: string
  /** First group: the fact. */
  readonly pattern: RegExp
  /** What in a request tells a reader that there is something to look up. Default: it knows anyway. */
  readonly pointer?: RegExp
  /** What it looks up then. Default: the question as it was asked. */
  readonly query?: string
}

/** What an agent does, step by step, and what it is asked about it later. */
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

/** What a model answers: text, calls, or both. */
export interface ModelReply {
  readonly text: string
  /** What it thinks before that. Sent as the provider's own reasoning, signed or with an id: it has to come back as it was. */
  readonly thinking?: string
  /** The thought is sealed: Anthropic shows nothing of its words. */
  readonly redacted?: boolean
  /** Calls that stand before the text. Default 0. Chat Completions has no order of the two. */
  readonly callsFirst?: number
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: string }[]
}

/** What the model says where it does not find a fact. */
export const unknownAnswer = 'I do not know.'

/** How a scripted reader answers. */
export interface ReaderOptions {
  /** The tool with which it looks up what it does not find in the request, once for each question and each step that says what it needs, where the request offers it. */
  readonly looksUp?: string
  /** It looks up an answer only where the request has the question's `pointer`. */
  readonly cautious?: boolean
  /** It thinks before it says anything. */
  readonly thinks?: boolean
}

/**
 * A deterministic model whose only memory is the request: where it stands in the scenario it reads from the newest call it finds there,
 * facts from earlier it takes from the text or not at all. It makes task continuation measurable without a real model.
 */
export function recallModel(
  scenario: Scenario,
  { looksUp, cautious = false, thinks = false }: ReaderOptions = {},
): (prompt: readonly PromptEntry[], declared?: Declared) => ModelReply {
  let looks = 0
  const looked = new Set<number>()
  const replied = (prompt: readonly PromptEntry[], declared: Declared | undefined): ModelReply => {
    const text = (entries: readonly PromptEntry[]): string => entries.map((entry) => entry.text).join('\n')
    const newest = prompt.findLastIndex((entry) => entry.role === 'user' && !entry.isResult)
    const since = prompt.slice(newest + 1).flatMap(({ callIds }) => callIds)
    const question = prompt[newest]?.text ?? ''
    const asked = since.every(isLook) ? scenario.questions?.find(({ asks }) => question.includes(asks)) : undefined
    if (asked !== undefined) {
      // The question itself is no source for its answer.
      const rest = text(prompt.filter((_, at) => at !== newest))
      const fact = asked.pattern.exec(rest)?.[1]
      const isPointed = !cautious || asked.pointer?.test(rest) !== false
      if (fact === undefined && isPointed && looksUp !== undefined && since.length === 0 && declared?.tools.includes(looksUp) === true)
        return { text: '', calls: [{ id: `look_${++looks}`, tool: looksUp, input: JSON.stringify({ query: asked.query ?? question }) }] }
      return { text: fact ?? unknownAnswer, calls: [] }
    }
    const next = stepNumber(prompt) + 1
    const step = scenario.steps[next]
    if (step === undefined) return { text: scenario.final, calls: [] }
    const all = text(prompt)
    let missing = false as boolean
    const input = step.input((pattern) => {
      const fact = pattern.exec(all)?.[1]
      missing ||= fact === undefined
      return fact
    })
    if (missing && step.needs !== undefined && !looked.has(next) && looksUp !== undefined && declared?.tools.includes(looksUp) === true) {
      looked.add(next)
      return { text: '', calls: [{ id: `look_${++looks}`, tool: looksUp, input: JSON.stringify({ query: step.needs }) }] }
    }
    return { text: step.say ?? '', calls: [{ id: `step_${next}`, tool: step.tool, input: JSON.stringify(input) }] }
  }
  return (prompt, declared) => {
    const reply = replied(prompt, declared)
    return thinks ? { ...reply, thinking: `Thought ${++looks} about what to say.` } : reply
  }
}

const isLook = (id: string): boolean => id.startsWith('look_')

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
