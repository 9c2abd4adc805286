import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { createRedactor, personalRules, secretRules } from '@precis/redaction'
import { generateText } from 'ai'

// All that the package knows, personal data too, a rule of your own, and a function.
const redact = createRedactor(
  [
    ...secretRules,
    ...personalRules,
    { tag: 'customer', pattern: /\bACME-\d+\b/g },
    (text) => text.replaceAll('Zeta', '[project]'),
  ],
  { salt: process.env['REDACTION_SALT'] ?? 'the same in every process' }, // the same salt gives the same tags
)
const model = withCompaction(openai('gpt-5.2'), { redact }) // what is stored or sent to a summarizer

const prompt =
  'ACME-12 wrote from kim@ledger.dev: DB_PASSWORD=correcthorse, for Zeta'
console.log(redact(prompt))
console.log((await generateText({ model, prompt })).text)
