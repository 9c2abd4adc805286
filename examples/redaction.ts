import {
  createArchive,
  createCompactor,
  type Message,
  memoryStorage,
  neutralCodec,
} from '@precis/core'
import { createRedactor, personalRules, secretRules } from '@precis/redaction'

// All that the package knows, personal data too, a rule of your own, and a function.
const redact = createRedactor(
  [
    ...secretRules,
    ...personalRules,
    { tag: 'customer', pattern: /\bACME-\d+\b/g },
    (text) => text.replaceAll('Zeta', '[project]'),
  ],
  {
    salt:
      process.env['REDACTION_SALT'] ??
      'the same salt gives the same tags in every process',
  },
)
console.log(
  redact(
    'ACME-12 wrote from kim@ledger.dev: DB_PASSWORD=correcthorse, for Zeta',
  ),
)

export const compactor = createCompactor<Message>({
  codec: neutralCodec,
  limits: { contextWindow: 128_000, maxOutput: 8_000 },
  redact, // everything that is stored or sent to a summarizer
  archive: createArchive(memoryStorage()),
})
