import { adapterCases } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { describe, it } from 'vitest'
import { createCodec } from '../src/index.ts'
import { make } from './make.ts'

describe('AI SDK messages keep the laws of adapters', () => {
  it.each(adapterCases)('$name', ({ run }) => run({ codec: createCodec<ModelMessage>(), make }), 60_000)
})
