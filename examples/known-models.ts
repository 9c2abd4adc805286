import { createCompactor, neutralCodec } from '@precis/core'
import { catalogDate, knownLimits, knownModel } from '@precis/models'

const { session } = createCompactor({
  codec: neutralCodec,
  limits: knownLimits,
}) // the adapters take `limits` the same way
const text = (at: number) => `${at}: ${'some words '.repeat(200)}`
const history = Array.from(
  { length: 400 },
  (_, at) =>
    ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      parts: [{ type: 'text', text: text(at) }],
    }) as const,
)
const { tokens } = (
  await session('one').beforeModelCall(history, { model: 'gpt-4o' })
).report
console.log(
  `gpt-4o, as of ${catalogDate}: ${tokens.before} → ${tokens.after} tokens`,
)

console.log(knownModel('us.anthropic.claude-sonnet-4-5-20250929-v1:0')?.limits) // Bedrock's own row
console.log(
  knownModel('anthropic/claude-sonnet-4.5', { provider: 'openrouter' })?.prices,
) // dollars per million tokens there
console.log(knownLimits('llama3.3:70b')) // undefined: the window is what your server was started with
