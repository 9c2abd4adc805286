import { loadConfig } from '@precis/config'
import { createCompactor, neutralCodec } from '@precis/core'
import { generateHistory } from '@precis/testkit'

const config = await loadConfig({
  path: new URL('data/precis.yaml', import.meta.url).pathname,
})
const session = createCompactor({ codec: neutralCodec, ...config }).session(
  'one',
)
const { report } = await session.beforeModelCall(
  generateHistory(1, { turns: 40 }),
)
console.log(
  `${report.outcome}: ${report.tokens.before} → ${report.tokens.after} tokens`,
)
