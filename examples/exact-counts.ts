import { builtInEstimator, createCompactor, neutralCodec } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { gptTokenizerEstimator } from '@precis/tokenizers'

const estimator = await gptTokenizerEstimator() // loaded here, not before
const history = generateHistory(1, { turns: 40 })
for (const one of [estimator, builtInEstimator]) {
  const session = createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 16_000, maxOutput: 1_000 },
    estimator: one,
  }).session('one')
  const { tokens } = (await session.beforeModelCall(history)).report
  console.log(`${one.name}: ${tokens.before} → ${tokens.after} tokens`)
}
