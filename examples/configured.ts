import { writeFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { loadConfig } from '@precis/config'
import { generateText } from 'ai'

// The file stands in your repository; written here so that this runs as it is.
await writeFile('precis.yaml', 'preset: layered\n')
const options = await loadConfig({ path: 'precis.yaml' })
const model = withCompaction(openai('gpt-5.2'), options) // what the file says

const { text } = await generateText({ model, prompt: 'Why is the sky blue?' })
console.log(text)
