import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { assistant, step, user } from '@precis/testkit'
import { expect, it } from 'vitest'

// In weeks of work some command always fails. What failed has a quarter of a record, in lines that can be read; the rest is for what else there is to say.

const lengthOf = (lines: readonly string[]): number => lines.join('\n').length

it('after four hundred failed commands the record still says what users want, and the newest failures can be read', async () => {
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 500 } }).session('s')
  const history: Message[] = []
  let shown: readonly Message[] = []
  for (let turn = 0; turn < 400; turn++) {
    history.push(user(`Please give stage ${turn} a limit of ${turn * 37 + 1_000} rows, the harbor team needs it.`))
    const failed = `Error: loader ${turn} is not a function\nexit code 1`
    history.push(...step('run', `r${turn}`, { command: `node scripts/stage-${turn}.mjs` }, failed), assistant(`Stage ${turn} has its limit.`))
    ;({ messages: shown } = await session.beforeModelCall([...history]))
  }
  const text = shown.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : []))).find((one) => one.includes('### Failed attempts'))
  const lines = (text ?? '').split('\n')
  const failures = lines.filter((line) => line.startsWith('- run('))
  expect(failures.length).toBeGreaterThan(10)
  expect(failures.length).toBeLessThanOrEqual(60)
  // The call's beginning and the error's end.
  for (const line of failures) expect(line).toMatch(/^- run\(command: .* → .*not a function$/)
  const said = lines.filter((line) => /^\[\d+\] user: Please give stage/.test(line))
  expect(said.length).toBeGreaterThan(10)
  expect(lengthOf(failures)).toBeLessThan(0.3 * lengthOf(lines))
})
