import { readFile, writeFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import {
  Agent,
  tool as agentTool,
  OpenAIProvider,
  Runner,
} from '@openai/agents'
import { withCompaction } from '@precis/ai-sdk'
import { loadConfig } from '@precis/config'
import { compaction } from '@precis/langchain'
import { withCompaction as withProvider } from '@precis/openai-agents'
import { generateText, stepCountIs, tool } from 'ai'
import { tool as chainTool, createAgent } from 'langchain'
import { z } from 'zod'

// One policy file for every stack. It stands in your repository; written here so that this runs as it is.
await writeFile('precis.yaml', 'preset: layered\n')
const options = await loadConfig({ path: 'precis.yaml' })

const prompt = 'What does package.json need?'
const description = 'Reads a file.'
const name = 'read_file'
const schema = z.object({ path: z.string() })
const execute = ({ path }: { path: string }) => readFile(path, 'utf8')

const onAiSdk = await generateText({
  model: withCompaction(openai('gpt-5.2'), options),
  tools: { [name]: tool({ description, inputSchema: schema, execute }) },
  prompt,
  stopWhen: stepCountIs(200),
})

const chain = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5.2' }),
  tools: [chainTool(execute, { name, description, schema })],
  middleware: [compaction(options)],
})
const onLangChain = await chain.invoke({
  messages: [{ role: 'user', content: prompt }],
})

const agent = new Agent({
  name: 'reader',
  model: 'gpt-5.2',
  tools: [agentTool({ name, description, parameters: schema, execute })],
})
const runner = new Runner({
  modelProvider: withProvider(new OpenAIProvider(), options),
})
const onAgents = await runner.run(agent, prompt)

console.table({
  'AI SDK': onAiSdk.text,
  LangChain: onLangChain.messages.at(-1)?.text,
  'OpenAI Agents': onAgents.finalOutput,
})
