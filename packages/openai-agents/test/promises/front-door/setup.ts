import { type AgentInputItem, Runner, setTracingDisabled } from '@openai/agents'
import { createRandom, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { vaultScenario } from '../../vaults.ts'

setTracingDisabled(true)
export const open: StrictProvider[] = []

export const close = async (): Promise<void> => {
  setTracingDisabled(true)
  await Promise.all(open.splice(0).map((provider) => provider.close()))
}

export const limits = { contextWindow: 12_000, maxOutput: 500 }
export const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario), ...more })
  open.push(provider)
  return provider
}

export const clientOf = ({ url }: StrictProvider, more: object = {}) => new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0, ...more }) as never
const words = (seed: number, count: number): string => {
  const random = createRandom(seed + 1)
  return Array.from({ length: count }, () => `word${random.between(100, 9_999)}`).join(' ')
}

/** A chat of so many words that it fills several small windows. */
export const dialogue = (turns: number): AgentInputItem[] =>
  Array.from(
    { length: turns * 2 + 1 },
    (_, at): AgentInputItem =>
      at % 2 === 0
        ? { role: 'user', content: `Question ${at}: ${words(at, 150)}` }
        : { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: `Answer ${at}: ${words(at, 150)}` }] },
  )
export const ok = () => ({ text: 'ok', calls: [] })
export const runnerOf = (modelProvider: object) => new Runner({ modelProvider: modelProvider as never })
