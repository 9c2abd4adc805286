import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs } from 'ai'

const files = await createMCPClient({
  transport: new Experimental_StdioMCPTransport({
    command: 'npx',
    args: ['--yes', '@modelcontextprotocol/server-filesystem', '.'],
  }),
})
const model = withCompaction(openai('gpt-5.2'))
try {
  const { text } = await generateText({
    model,
    tools: await files.tools(),
    prompt: 'What does package.json need?',
    stopWhen: stepCountIs(200),
  })
  console.log(text)
} finally {
  await files.close()
}
