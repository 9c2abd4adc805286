import { openai } from '@ai-sdk/openai'
import { modelSummarizer, withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import {
  guardedStorage,
  guardedSummarizer,
  type RedactionService,
} from '@precis/redaction'
import { lintSource } from '@secretlint/core'
import { creator as rule } from '@secretlint/secretlint-rule-preset-recommend'
import { generateText } from 'ai'

const id = '@secretlint/secretlint-rule-preset-recommend'
const options = { config: { rules: [{ id, rule }] } }
const file = { filePath: 'a.txt', ext: '.txt', contentType: 'text' } as const

// Asked after our own rules: what it objects to is neither sent nor stored.
const secretlint: RedactionService = (texts) =>
  Promise.all(
    texts.map(async (content) => {
      const source = { ...file, content }
      const { messages } = await lintSource({ source, options })
      return [...messages]
        .sort((a, b) => b.range[0] - a.range[0])
        .reduce(
          (text, { range: [from, to] }) =>
            `${text.slice(0, from)}[secret]${text.slice(to)}`,
          content,
        )
    }),
  )

const summarizer = modelSummarizer({ model: openai('gpt-5-mini') })
const model = withCompaction(openai('gpt-5.2'), {
  summarizer: guardedSummarizer(summarizer, secretlint),
  storage: guardedStorage(memoryStorage(), secretlint),
})
const { text } = await generateText({ model, prompt: 'Why is the sky blue?' })
console.log(text)
