import { modelSummarizer } from '@precis/ai-sdk'
import {
  createCompactor,
  type Message,
  memoryStorage,
  neutralCodec,
} from '@precis/core'
import {
  guardedStorage,
  guardedSummarizer,
  type RedactionService,
} from '@precis/redaction'
import { lintSource } from '@secretlint/core'
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend'
import { model } from './support/agent.ts'

// secretlint answers later, so it stands at the doors, behind our own rules: nothing is sent or stored that it objects to.
const secretlint: RedactionService = (texts) =>
  Promise.all(
    texts.map(async (content) => {
      const { messages } = await lintSource({
        source: {
          content,
          filePath: 'context.txt',
          ext: '.txt',
          contentType: 'text',
        },
        options: {
          config: {
            rules: [
              {
                id: '@secretlint/secretlint-rule-preset-recommend',
                rule: recommended,
              },
            ],
          },
        },
      })
      return messages
        .toSorted((a, b) => b.range[0] - a.range[0])
        .reduce(
          (text, { range: [from, to] }) =>
            `${text.slice(0, from)}[secret]${text.slice(to)}`,
          content,
        )
    }),
  )

export const compactor = createCompactor<Message>({
  codec: neutralCodec,
  limits: { contextWindow: 128_000, maxOutput: 8_000 },
  summarizer: guardedSummarizer(modelSummarizer({ model }), secretlint),
  storage: guardedStorage(memoryStorage(), secretlint),
})
console.log(await secretlint(['nothing to see here'], undefined))
