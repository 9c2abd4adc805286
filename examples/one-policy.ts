import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents'
import { createCompaction } from '@precis/ai-sdk'
import { type PolicyOverrides, presets } from '@precis/core'
import { compactionMiddleware } from '@precis/langchain'
import { wrapModel } from '@precis/openai-agents'
import { generateText, isStepCount } from 'ai'
import { createAgent } from 'langchain'
import { limits, model, prompt, tools } from './support/agent.ts'
import { langchainTools, url } from './support/langchain.ts'
import { agentTools, client } from './support/openai-agents.ts'

const policy: PolicyOverrides = presets.layered // the same value for every stack
const options = { limits, policy }
setTracingDisabled(true)

const aiSdk = await generateText({ model, tools, prompt, stopWhen: isStepCount(200), prepareStep: createCompaction(options).prepareStep({ tools }) })

const chat = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url } })
const langchain = createAgent({ model: chat, tools: langchainTools, middleware: [compactionMiddleware(options)] })
const state = await langchain.invoke({ messages: [{ role: 'user', content: prompt }] }, { recursionLimit: 400 })

const wrapped = wrapModel(new OpenAIChatCompletionsModel(client, 'strict'), options)
const agents = await run(new Agent({ name: 'reader', model: wrapped, tools: agentTools }), prompt, { maxTurns: 200 })

console.log([aiSdk.text, state.messages.at(-1)?.text, agents.finalOutput].join('\n'))
