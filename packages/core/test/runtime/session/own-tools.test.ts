import { createArchive, createCompactor, createToolOutputStore, memoryStorage, neutralCodec } from '@precis/core'
import { describedTools, ownToolNames } from '@precis/core/adapters'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
})

const outputs = createToolOutputStore(memoryStorage())
const archive = createArchive(memoryStorage())

it.each([
  ['neither a store nor an archive', {}],
  ['a store', { outputs }],
  ['an archive', { archive }],
  ['both', { outputs, archive }],
])('our tools are described as a session has them, without one: %s', (_, options) => {
  const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000 }, ...options })
  const shown = (tools: readonly object[]): unknown => JSON.parse(JSON.stringify(tools))
  expect(shown(describedTools(options))).toEqual(shown(compactor.session('s').tools()))
  expect([...ownToolNames(options)].toSorted()).toEqual([...describedTools(options).map(({ name }) => name), 'precis_recall'].toSorted())
})
it('none where we are taken out', () => {
  vi.stubEnv('PRECIS_DISABLED', '1')
  expect(describedTools({ outputs, archive })).toEqual([])
})
