import { readFile, writeFile } from 'node:fs/promises'
import { Agent, OpenAIProvider, run, setDefaultModelProvider, tool } from '@openai/agents'
import { loadConfig } from '@precis/config'
import { modelSummarizer, withCompaction } from '@precis/openai-agents'
import { z } from 'zod'

// Policy, archive and events. The file stands in your repository; written here so that this runs as it is.
await writeFile('precis.yaml', 'preset: layered\nstorage: { adapter: fs, path: ./.precis }\narchive: true\ntelemetry: { exporter: console }\n')
const models = new OpenAIProvider()
const summarizer = modelSummarizer({ model: await models.getModel('gpt-5-mini'), modelSettings: { providerData: { seed: 7 } } })
setDefaultModelProvider(withCompaction(models, { ...(await loadConfig({ path: 'precis.yaml' })), summarizer }))

const parameters = z.object({ path: z.string() })
const read = tool({ name: 'read_file', description: 'Reads a file.', parameters, execute: ({ path }) => readFile(path, 'utf8') })
const agent = new Agent({ name: 'auditor', model: 'gpt-5.2', tools: [read] })
console.log((await run(agent, 'Audit what we install.', { maxTurns: 200 })).finalOutput)
