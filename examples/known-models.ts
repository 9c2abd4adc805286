import { catalogDate, knownLimits, knownModel } from '@precis/models'

console.log(knownLimits('gpt-5.2'), `as of ${catalogDate}`)
console.log(knownModel('us.anthropic.claude-sonnet-4-5-20250929-v1:0')?.limits) // Bedrock's own row
console.log(
  knownModel('anthropic/claude-sonnet-4.5', { provider: 'openrouter' })?.prices,
) // dollars per million tokens there
console.log(knownLimits('llama3.3:70b')) // undefined: the window is what your server was started with
