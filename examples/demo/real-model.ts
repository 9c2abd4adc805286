import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  createCompaction,
  modelSummarizer,
  type SummaryModel,
} from '@precis/ai-sdk'
import {
  generateText,
  isStepCount,
  type LanguageModel,
  type ModelMessage,
} from 'ai'
import { questions, request } from './scenario.ts'
import { tools } from './tools.ts'
import { receipt, stepLine } from './view.ts'

/** The user's own model, where the environment names one. */
export function realModel():
  | { readonly name: string; readonly model: LanguageModel }
  | undefined {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, PRECIS_MODEL } =
    process.env
  if (ANTHROPIC_API_KEY !== undefined) {
    const name = PRECIS_MODEL ?? 'claude-haiku-4-5'
    return { name, model: createAnthropic({ apiKey: ANTHROPIC_API_KEY })(name) }
  }
  if (OPENAI_API_KEY === undefined && OPENAI_BASE_URL === undefined)
    return undefined
  const name = PRECIS_MODEL ?? 'gpt-5-mini'
  return {
    name,
    model: createOpenAICompatible({
      name: 'openai',
      baseURL: OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
      ...(OPENAI_API_KEY !== undefined && { apiKey: OPENAI_API_KEY }),
      includeUsage: true,
    })(name),
  }
}

/** The same work on a real model, kept inside 24,000 tokens so that compaction is seen; the model writes its own summaries. Costs real tokens. */
export async function runRealModel({
  name,
  model,
}: {
  readonly name: string
  readonly model: LanguageModel
}): Promise<void> {
  console.log(`The same session on ${name}, inside 24,000 tokens:`)
  const compaction = createCompaction({
    limits: { contextWindow: 24_000, maxOutput: 2_000 },
    summarizer: modelSummarizer({ model: model as SummaryModel }),
    onReport: (report) => {
      if (report.outcome !== 'unchanged' && report.outcome !== 'projected')
        console.log(receipt(report))
    },
  })
  const prepareStep = compaction.prepareStep({ session: 'real', tools })
  const history: ModelMessage[] = [{ role: 'user', content: request }]
  let steps = 0
  for (const text of [
    undefined,
    ...questions.map((question) => question.text),
  ]) {
    if (text !== undefined) history.push({ role: 'user', content: text })
    const result = await generateText({
      model,
      tools,
      messages: history,
      maxOutputTokens: 2_000,
      prepareStep,
      stopWhen: isStepCount(60),
      onStepEnd: ({ toolCalls }) =>
        console.log(
          stepLine(
            'real',
            ++steps,
            toolCalls.map((call) => call.toolName).join(' '),
          ),
        ),
    })
    history.push(...result.responseMessages)
    console.log(`${text ?? ''} ${result.text}`)
  }
}
