import { deepEqual } from 'node:assert/strict'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import {
  Agent,
  OpenAIChatCompletionsModel,
  run,
  setTracingDisabled,
} from '@openai/agents'
import { createCompaction } from '@precis/ai-sdk'
import { loadConfig } from '@precis/config'
import { compaction } from '@precis/langchain'
import { withCompaction } from '@precis/openai-agents'
import { generateText, type ModelMessage, stepCountIs } from 'ai'
import { createAgent } from 'langchain'
import { model, prompt, tools } from './agent.ts'
import { langchainTools, url } from './langchain.ts'
import { agentTools, client } from './openai-agents.ts'

// What one-policy.ts shows, on a task that does not fit: one policy file for every stack, one task, one question afterwards about what was said before the first compaction.
const options = await loadConfig({
  path: new URL('../data/policy.yaml', import.meta.url).pathname,
})
const turns = [
  `${prompt} This is review REV-3107.`,
  'And under which review is this work done?',
]
setTracingDisabled(true)

const onAiSdk = async (): Promise<string[]> => {
  const history: ModelMessage[] = []
  const prepareStep = createCompaction(options).prepareStep({
    session: 'one',
    tools,
  })
  const answers: string[] = []
  for (const content of turns) {
    history.push({ role: 'user', content })
    const { text, responseMessages } = await generateText({
      model,
      tools,
      messages: history,
      prepareStep,
      stopWhen: stepCountIs(200),
    })
    history.push(...responseMessages)
    answers.push(text)
  }
  return answers
}

const onLangChain = async (): Promise<string[]> => {
  const chat = new ChatOpenAI({
    model: 'strict',
    apiKey: 'none',
    configuration: { baseURL: url },
  })
  const agent = createAgent({
    model: chat,
    tools: langchainTools,
    middleware: [compaction(options)],
    checkpointer: new MemorySaver(),
  })
  const answers: string[] = []
  for (const content of turns) {
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content }] },
      { configurable: { thread_id: 'one' }, recursionLimit: 400 },
    )
    answers.push(messages.at(-1)?.text ?? '')
  }
  return answers
}

const onAgents = async (): Promise<string[]> => {
  const agent = new Agent({
    name: 'reader',
    model: withCompaction(
      new OpenAIChatCompletionsModel(client, 'strict'),
      options,
    ),
    tools: agentTools,
  })
  const first = await run(agent, turns[0] ?? '', { maxTurns: 200 })
  const second = await run(
    agent,
    [...first.history, { role: 'user', content: turns[1] ?? '' }],
    { maxTurns: 200 },
  )
  return [String(first.finalOutput), String(second.finalOutput)]
}

const answers = {
  'AI SDK': await onAiSdk(),
  LangChain: await onLangChain(),
  'OpenAI Agents': await onAgents(),
}
console.table(answers)
deepEqual(answers.LangChain, answers['AI SDK'])
deepEqual(answers['OpenAI Agents'], answers['AI SDK'])
