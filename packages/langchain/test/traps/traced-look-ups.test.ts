import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { recallModel, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { questionOf, readFile, vaultScenario, vaults } from '../vaults.ts'

const limits = { contextWindow: 12_000, maxOutput: 500 }

describe.each(['withCompaction', 'compaction'] as const)('a traced agent, %s', (door) => {
  it('a compaction and a look-up are runs of different names', async () => {
    const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario, { looksUp: 'precis_recall' }) })
    const runs: { name: string | undefined; trigger: unknown; source: unknown }[] = []
    const tracer = {
      handleChainStart: (_chain: unknown, inputs: { trigger?: unknown }, ...rest: readonly unknown[]) => {
        const [, , , metadata, , name] = rest as [string, string?, string[]?, Record<string, unknown>?, string?, string?]
        if (name?.startsWith('context_') === true) runs.push({ name, trigger: inputs.trigger, source: metadata?.['lc_source'] })
      },
    }
    try {
      const bare = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: provider.url }, maxRetries: 0, maxTokens: 500 })
      const wraps = door === 'withCompaction'
      const agent = createAgent({
        model: wraps ? withCompaction(bare, { limits }) : bare,
        tools: [readFile],
        middleware: wraps ? [] : [compaction({ limits })],
      })
      const [vault] = vaults as [(typeof vaults)[number]]
      const config = { recursionLimit: 100, callbacks: [tracer] }
      const { messages } = await agent.invoke({ messages: [new HumanMessage('Read the file of each vault.')] }, config)
      const answered = await agent.invoke({ messages: [...messages, new HumanMessage(questionOf(vault))] }, config)
      expect(answered.messages.at(-1)?.text).toBe(vault.code)
      const [looks, compactions] = [runs.filter(({ trigger }) => trigger === 'recall'), runs.filter(({ trigger }) => trigger !== 'recall')]
      expect(looks.length).toBeGreaterThan(0)
      expect(compactions.length).toBeGreaterThan(0)
      expect(new Set(looks.map(({ name, source }) => `${name} ${source}`))).toEqual(new Set(['context_recall undefined']))
      expect(new Set(compactions.map(({ name, source }) => `${name} ${source}`))).toEqual(new Set(['context_compaction summarization']))
    } finally {
      await provider.close()
    }
  })
})
