import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import * as client7 from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import type { ModelMessage } from 'ai'
import * as sdk7 from 'ai'
import * as sdk5 from 'ai-v5'
import * as sdk6 from 'ai-v6'
import * as client5 from 'openai-compatible-v5'
import * as client6 from 'openai-compatible-v6'
import { z } from 'zod'
import {
  counter,
  type Front,
  inEachProcess,
  instructionsOf,
  optionsOf,
  reading,
} from './front.ts'

/** What comes of a run; in a stream each part of it later. */
interface Result {
  readonly text: string
  readonly steps: readonly unknown[]
  readonly responseMessages?: readonly ModelMessage[]
  readonly response: { readonly messages: readonly ModelMessage[] }
}

/** What this agent uses of a major; the newest one has names of its own for two of them. */
interface Sdk {
  generateText(options: object): PromiseLike<Result>
  streamText(options: object): {
    readonly [Part in keyof Result]: PromiseLike<Result[Part]>
  } & { readonly textStream: AsyncIterable<string> }
  pruneMessages(options: {
    readonly messages: readonly ModelMessage[]
    readonly toolCalls: string
  }): ModelMessage[]
  tool(definition: object): object
  readonly isStepCount?: (count: number) => unknown
  readonly stepCountIs?: (count: number) => unknown
}

type Model = Parameters<typeof withCompaction>[0]

const saidIn = ({ responseMessages, response, steps, text }: Result) => ({
  said: responseMessages ?? response.messages,
  steps: steps.length,
  text,
})

const whole = async (
  generateText: Sdk['generateText'],
  request: object,
): Promise<ReturnType<typeof saidIn>> => saidIn(await generateText(request))

/** @throws what the stream tells of a failure, and where it says something else than it ends with. */
async function streamed(
  streamText: Sdk['streamText'],
  request: object,
): Promise<ReturnType<typeof saidIn>> {
  let failure: unknown
  const onError = ({ error }: { readonly error: unknown }) => {
    failure = error
  }
  const result = streamText({ ...request, onError })
  let read = ''
  for await (const piece of result.textStream) read += piece
  if (failure !== undefined) throw failure
  const responseMessages = await result.responseMessages
  const said = saidIn({
    text: await result.text,
    steps: await result.steps,
    response: await result.response,
    ...(responseMessages !== undefined && { responseMessages }),
  })
  if (!read.endsWith(said.text)) throw new Error(`The stream said: ${read}`)
  return said
}

function frontOf(
  name: string,
  sdk: unknown,
  modelAt: (url: string) => unknown,
  means?: string,
): Front {
  const {
    generateText,
    streamText,
    pruneMessages,
    tool,
    isStepCount,
    stepCountIs = isStepCount,
  } = sdk as Sdk
  return {
    name,
    ...(means !== undefined && { means }),
    chat(way, url, setting = reading) {
      const { limits } = setting
      const modelNow = inEachProcess(setting, () => {
        const own = modelAt(url) as Model
        return way === 'precis' || way === 'off'
          ? withCompaction(own, optionsOf(way, setting))
          : own
      })
      const tools = Object.fromEntries(
        setting.tools.map(({ name, description, parameter, execute }) => [
          name,
          tool({
            description,
            inputSchema: z.object({ [parameter]: z.string() }),
            execute: async (input: Readonly<Record<string, string>>) =>
              execute(input[parameter] ?? ''),
          }),
        ]),
      )
      const history: ModelMessage[] = []
      const { seen, see } = counter()
      return {
        seen,
        async ask(content) {
          history.push({ role: 'user', content })
          const pruned = ({ messages }: { messages: ModelMessage[] }) => ({
            messages: pruneMessages({
              messages,
              toolCalls: 'before-last-6-messages',
            }),
          })
          const instructions = instructionsOf(setting)
          const request = {
            model: modelNow(),
            tools,
            ...(instructions !== undefined && { system: instructions }),
            messages: history,
            stopWhen: stepCountIs?.(100),
            maxRetries: 0,
            maxOutputTokens: limits.maxOutput,
            ...(way === 'means' && { prepareStep: pruned }),
          }
          const { said, steps, text } =
            setting.streams === true
              ? await streamed(streamText, request)
              : await whole(generateText, request)
          history.push(...said)
          see(steps, said)
          return text
        },
      }
    },
  }
}

const chat = (createClient: unknown) => (url: string) =>
  (createClient as (options: object) => (model: string) => unknown)({
    baseURL: url,
    name: 'strict',
    apiKey: 'none',
    includeUsage: true,
  })('strict')
const at = (url: string) => ({ baseURL: url, apiKey: 'none' })

/** Its calls have no ids of their own: the client's would be others in each run. */
const gemini = (url: string) => {
  let calls = 0
  const generateId = () => `call_${calls++}`
  return createGoogleGenerativeAI({ ...at(url), generateId })('strict')
}

export const aiSdks: readonly Front[] = [
  frontOf(
    'AI SDK 7',
    sdk7,
    chat(client7.createOpenAICompatible),
    'pruneMessages',
  ),
  frontOf(
    'AI SDK 6',
    sdk6,
    chat(client6.createOpenAICompatible),
    'pruneMessages',
  ),
  frontOf(
    'AI SDK 5',
    sdk5,
    chat(client5.createOpenAICompatible),
    'pruneMessages',
  ),
  frontOf('AI SDK 7, Anthropic Messages', sdk7, (url) =>
    createAnthropic(at(url))('strict'),
  ),
  frontOf('AI SDK 7, OpenAI Responses', sdk7, (url) =>
    createOpenAI(at(url)).responses('strict'),
  ),
  frontOf('AI SDK 7, Gemini', sdk7, gemini),
]
