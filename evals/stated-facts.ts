import { ruler } from '@precis/cli/replay'
import { createArchive, createCompactor, type Message, memoryStorage } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { type Figure, figureOf } from './measures/account.ts'
import { isTold } from './measures/wording.ts'
import type { Cut } from './sessions/cuts.ts'
import { diceOf, type Fact, factOf, stepOf } from './sessions/generated.ts'
import { neutral, type Recorded, type RecordedMessage, textOf, tokensOf } from './sessions/transcripts.ts'
import type { Strategy } from './ways/baselines.ts'
import { policy } from './ways/strategies.ts'

/** A generated session, cut at its end, with what its tools said. */
export interface StatedCut extends Cut {
  readonly facts: readonly Fact[]
}

const steps = 36
/** Steps after which the user asks for something else. */
const stretch = 9

/** Sessions in which every output of a thousand tokens holds one sentence with a fact, each said once. */
export function statedCuts(sessions: number): readonly StatedCut[] {
  return Array.from({ length: sessions }, (_, seed) => {
    const dice = diceOf(seed + 1)
    const facts: Fact[] = []
    const prefix: RecordedMessage[] = []
    for (let step = 0; step < steps; step++) {
      if (step % stretch === 0) prefix.push({ role: 'user', content: `Look into part ${1 + step / stretch} of the migration and tell me what you see.` })
      const fact = factOf(step, dice)
      facts.push(fact)
      prefix.push(...stepOf(`call_${step}`, dice, fact.sentence))
      if (step % stretch === stretch - 1) prefix.push({ role: 'assistant', content: `Part ${Math.ceil(step / stretch)} is looked at; nothing is open there.` })
    }
    const transcript: Recorded = { id: `generated-${seed}`, set: 'generated', domain: 'generated', messages: prefix }
    return { transcript, prefix, tokens: prefix.reduce((sum, message) => sum + tokensOf(textOf(message)), 0), needles: [], facts }
  })
}

/** Share of the facts that a reader of the context alone finds: the value, and two words of its sentence beside it. */
export async function statedFacts(cuts: readonly StatedCut[], share: number, strategy: Strategy): Promise<Figure | undefined> {
  const values: (readonly [string, number])[] = []
  for (const cut of cuts) {
    const context = (await strategy(cut, Math.floor(cut.tokens * share))).texts.join('\n')
    values.push([cut.transcript.id, cut.facts.filter(({ value, sentence }) => isTold(context, value, sentence)).length / cut.facts.length])
  }
  return figureOf(values)
}

/** The same where the reader may look once into the history: for the name of the thing, or with the question as it was asked. */
export async function statedFactsWithRecall(cuts: readonly StatedCut[], share: number, by: 'subject' | 'question' | 'otherwise'): Promise<Figure | undefined> {
  const values: (readonly [string, number])[] = []
  for (const cut of cuts) {
    const session = createCompactor<Message>({
      codec: neutralCodec,
      estimator: ruler,
      limits: { contextWindow: 0, maxInput: Math.floor(cut.tokens * share) },
      policy,
      redact: false,
      archive: createArchive<Message>(memoryStorage(), { redact: false }),
    }).session(cut.transcript.id)
    const { messages } = await session.beforeModelCall(cut.prefix.map(neutral))
    const context = messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : 'output' in part ? part.output : ''))).join('\n')
    const recall = session.tools().find(({ name }) => name === 'recall_history')
    let found = 0
    for (const fact of cut.facts) {
      const { value, sentence } = fact
      if (isTold(context, value, sentence) || isTold(String(await recall?.execute({ query: fact[by] })), value, sentence)) found++
    }
    values.push([cut.transcript.id, found / cut.facts.length])
  }
  return figureOf(values)
}
