// One task, one way: an agent loop of the AI SDK, with time limits, counted as the provider bills it.
import { classifyError } from '@precis/core'
import { generateText, type LanguageModelUsage, type ModelMessage, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import type { LiveTask } from './tasks.ts'
import type { Way, WayName } from './ways.ts'

/** One line of the results. Tokens as billed; seconds of the clock. */
export interface LiveResult {
  readonly task: number
  readonly way: WayName
  /** All files were read and the vault was opened. */
  readonly finished: boolean
  readonly read: number
  readonly right: number
  readonly questions: number
  readonly steps: number
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly seconds: number
  /** Why it stopped; absent where it did not. */
  readonly error?: string
}

/** A result that says nothing of its way where `outage` is set: the provider did not serve, for a reason of its own. */
export type LiveRun = LiveResult & { readonly outage?: true }

/** Answers of a provider that has no quota left, no key, no such model, no time or no server for anybody. */
const outages = new Set([401, 402, 403, 404, 408, 429])
/** Some say so with the status of a bad request. */
const unpaid = /\b(?:credit balance|quota|billing|api key)\b/i

/** Whether a call failed for what no request could have done otherwise. */
export function isOutage(error: unknown): boolean {
  const { lastError = error } = Object(error) as { readonly lastError?: unknown }
  const { statusCode, name, message } = Object(lastError) as { readonly statusCode?: number; readonly name?: string; readonly message?: string }
  if (classifyError(lastError).kind !== 'other') return false
  if (statusCode !== undefined) return outages.has(statusCode) || statusCode >= 500 || unpaid.test(message ?? '')
  return name !== 'TimeoutError' && /fetch failed|cannot connect|ECONN|ENOTFOUND|EAI_AGAIN|socket|network/i.test(message ?? '')
}

/** Milliseconds for one request of the user, all steps together. */
const patience = 900_000
/** Steps of one request; a task needs 26. */
export const mostSteps = 80

export async function runLive(task: LiveTask, name: WayName, way: Way, maxOutputTokens: number): Promise<LiveRun> {
  const began = performance.now()
  const read = new Set<string>()
  let opened = false
  const tools = {
    list_files: tool({ description: 'Names the files of the project, in order.', inputSchema: z.object({}), execute: () => [...task.files.keys()].join('\n') }),
    read_file: tool({
      description: 'Reads a file.',
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => {
        read.add(path)
        return task.files.get(path) ?? `There is no file ${path}.`
      },
    }),
    open_vault: tool({
      description: 'Opens a vault by its code.',
      inputSchema: z.object({ name: z.string(), code: z.string() }),
      execute: ({ code }) => {
        opened ||= code === task.vault.code
        return code === task.vault.code ? 'It is open.' : 'This is not its code.'
      },
    }),
  }
  const spent = { steps: 0, input: 0, cached: 0, output: 0 }
  const bill = ({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage): void => {
    spent.steps++
    spent.input += inputTokens
    spent.cached += inputTokenDetails.cacheReadTokens ?? 0
    spent.output += outputTokens
  }
  const history: ModelMessage[] = []
  const ask = async (content: string): Promise<string> => {
    history.push({ role: 'user', content })
    const { text, responseMessages } = await generateText({
      ...way,
      messages: history,
      tools,
      maxOutputTokens,
      stopWhen: stepCountIs(mostSteps),
      abortSignal: AbortSignal.timeout(patience),
      onStepEnd: ({ usage }) => bill(usage),
    })
    history.push(...responseMessages)
    return text
  }
  let right = 0
  let error: string | undefined
  let outage = false
  try {
    await ask(task.request)
    for (const { asks, answer } of task.questions) if ((await ask(`${asks} Answer with that alone.`)).includes(answer)) right++
  } catch (cause) {
    error = (cause as Error).message.slice(0, 300)
    // Whom the first request was refused says nothing of what came later.
    outage = isOutage(cause) || spent.steps === 0
  }
  const finished = opened && [...task.files.keys()].every((path) => read.has(path))
  const seconds = Math.round((performance.now() - began) / 100) / 10
  return {
    task: task.id,
    way: name,
    finished,
    read: read.size,
    right,
    questions: task.questions.length,
    ...spent,
    seconds,
    ...(error !== undefined && { error }),
    ...(outage && { outage }),
  }
}
