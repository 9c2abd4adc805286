import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ChatOpenAI } from '@langchain/openai'
import { createRandom, type Scenario } from '@precis/testkit'
import { tool } from 'langchain'
import { z } from 'zod'

const places = 'harbor orchard lantern meadow granite willow cobalt juniper saffron canyon falcon ember glacier thicket marble pepper'.split(' ')

/** What stands once, in the middle of one file each. */
export const vaults = places.map((place, at) => ({ place, code: `${['KX', 'RV', 'ZT'][at % 3]}-${10_007 + at * 4_211}`, path: `src/${place}.ts` }))

export function vaultText(path: string): string {
  const random = createRandom([...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0)
  const lines = Array.from(
    { length: 60 },
    () =>
      `export const value${random.between(100, 999)} = load('${random.pick(['alpha', 'beta', 'gamma', 'delta'])}-${random.between(1_000, 9_999)}', { retries: ${random.between(1, 9)} })`,
  )
  const vault = vaults.find((one) => one.path === path)
  if (vault !== undefined) lines.splice(30, 0, `// The vault of ${vault.place} opens with code ${vault.code}.`)
  return [`// ${path}`, ...lines].join('\n')
}

/** In other words than the file has: the model must look it up. */
export const questionOf = ({ place }: { readonly place: string }): string => `What do I type at the ${place}?`
/** In the words of the file: it comes back with the question. */
export const namedQuestionOf = ({ place }: { readonly place: string }): string => `Which code opens the vault of the ${place}?`

/** Reads a file for each vault, then is asked for each. */
export const vaultScenario: Scenario = {
  steps: vaults.map(({ path }) => ({ tool: 'read_file', input: () => ({ path }) })),
  questions: [questionOf, namedQuestionOf].flatMap((asking) =>
    vaults.map((vault) => ({ asks: asking(vault), pattern: new RegExp(`vault of ${vault.place} opens with code (\\w+-\\d+)`) })),
  ),
  final: 'All vaults are read.',
}

export const readFile = tool(({ path }: { path: string }) => vaultText(path), {
  name: 'read_file',
  description: 'Reads a file of the project.',
  schema: z.object({ path: z.string() }),
})

export type Wire = 'openai' | 'openai-responses' | 'anthropic'

/** A chat model of a real provider package, over a loopback address. */
export function modelAt(wire: Wire, url: string, more: object = {}): BaseChatModel {
  const openai = { model: 'strict', apiKey: 'none', configuration: { baseURL: url }, maxTokens: 500, maxRetries: 0, ...more }
  if (wire === 'anthropic') return new ChatAnthropic({ model: 'strict', apiKey: 'none', anthropicApiUrl: url, maxTokens: 500, maxRetries: 0, ...more })
  return new ChatOpenAI(wire === 'openai' ? openai : { ...openai, useResponsesApi: true })
}
