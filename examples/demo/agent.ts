import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCodec, createCompaction } from '@precis/ai-sdk'
import { type CompactionReport, estimateHistory } from '@precis/core'
import {
  recallModel,
  type StrictProvider,
  strictProvider,
} from '@precis/testkit'
import { generateText, isStepCount, type ModelMessage } from 'ai'
import { questions, request, scenario } from './scenario.ts'
import type { Show } from './show.ts'
import { tools } from './tools.ts'

/** Tokens of the model's window, reply included. Small, so that the demo is over soon. */
export const window = 12_000
const maxOutputTokens = 500

export interface Outcome {
  readonly finished: boolean
  readonly error?: string
  readonly steps: number
  readonly recalled: number
  readonly compactions: number
  /** Tokens of the whole conversation, as it is stored. */
  readonly session: number
  readonly provider: StrictProvider
  /** The whole conversation. */
  readonly history: readonly ModelMessage[]
}

/** Runs the scenario once, bare or with Précis, and shows what happens as it happens. */
export async function runAgent(precis: boolean, show: Show): Promise<Outcome> {
  const provider = await strictProvider({
    window,
    model: recallModel(scenario),
  })
  const model = createOpenAICompatible({
    name: 'strict',
    baseURL: provider.url,
    apiKey: 'none',
    includeUsage: true,
  })('strict')
  let latest: CompactionReport | undefined
  let compactions = 0
  let steps = 0
  const compaction = createCompaction({
    limits: { contextWindow: window, maxOutput: maxOutputTokens },
    onReport: (report) => {
      latest = report
      if (report.outcome === 'unchanged' || report.outcome === 'projected')
        return
      compactions++
      show.compaction(steps + 1, report)
    },
  })
  const prepareStep = compaction.prepareStep({
    session: 'demo',
    tools,
    maxOutputTokens,
  })
  const turn = async (
    messages: ModelMessage[],
  ): Promise<readonly ModelMessage[]> => {
    const result = await generateText({
      model,
      tools,
      messages,
      maxOutputTokens,
      maxRetries: 0,
      stopWhen: isStepCount(200),
      ...(precis && { prepareStep }),
      onStepEnd: ({ toolCalls, text }) => {
        const call = toolCalls[0]
        show.step(
          ++steps,
          call === undefined
            ? text
            : `${call.toolName} ${Object.values(call.input as object).join(' ')}`,
          precis ? latest : undefined,
        )
      },
    })
    return result.responseMessages
  }

  const history: ModelMessage[] = [{ role: 'user', content: request }]
  let recalled = 0
  try {
    history.push(...(await turn(history)))
    for (const { text, expected } of questions) {
      history.push({ role: 'user', content: text })
      const answer = await turn(history)
      history.push(...answer)
      const said = textOf(answer)
      const right = expected.test(said)
      if (right) recalled++
      show.answer(text, said, right)
    }
    return {
      finished: true,
      steps,
      recalled,
      compactions,
      session: sizeOf(history),
      provider,
      history,
    }
  } catch (error) {
    show.death(steps, (error as Error).message)
    return {
      finished: false,
      error: (error as Error).message,
      steps,
      recalled,
      compactions,
      session: provider.requests.at(-1)?.inputTokens ?? 0,
      provider,
      history,
    }
  } finally {
    await provider.close()
  }
}

function sizeOf(history: readonly ModelMessage[]): number {
  const codec = createCodec<ModelMessage>()
  return estimateHistory(history.map((message) => codec.read(message)))
}

function textOf(messages: readonly ModelMessage[]): string {
  const content = messages.at(-1)?.content
  if (typeof content === 'string') return content
  return (content ?? [])
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join('')
}
