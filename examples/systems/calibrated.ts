import { readFile } from 'node:fs/promises'
import { ChatOpenAI } from '@langchain/openai'
import { mergePolicy, presets } from '@precis/core'
import { consoleExporter } from '@precis/exporter-console'
import { compaction, modelSummarizer } from '@precis/langchain'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'

const policy = mergePolicy(presets.calibratedLongRun, { prune: { tools: { read_file: { shape: 'file-content' } } } }) // a tool says its shape
const model = new ChatOpenAI({ model: 'gpt-3.5-turbo' })
const read = tool(({ path }) => readFile(path, 'utf8'), { name: 'read_file', description: 'Reads a file.', schema: z.object({ path: z.string() }) })
const options = { policy, limits: { contextWindow: 16_385, maxOutput: 4_096 }, summarizer: modelSummarizer({ model }), exporters: [consoleExporter()] }
const agent = createAgent({ model, tools: [read], middleware: [compaction(options)] })
const { messages } = await agent.invoke({ messages: 'Audit what we install.' }, { recursionLimit: 400 })
console.log(messages.at(-1)?.text)
