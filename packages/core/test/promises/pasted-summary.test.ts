import { createCompactor, type Message, neutralCodec, textOf } from '@precis/core'
import { adapterCases, assistant, user } from '@precis/testkit'
import { expect, it } from 'vitest'

it.each(adapterCases.filter(({ name }) => name.includes('paste')))('$name', ({ run }) => run<Message>({ codec: neutralCodec, make: (message) => message }))

it('a word of ours to go on is not a user’s, and what a user says behind it is', async () => {
  const continuation = 'Go on with what is left to do.'
  const source = [user('Read the code.'), ...Array.from({ length: 30 }, (_, at) => assistant(`Looked at part ${at}. ${'It reads lines. '.repeat(30)}`))]
  const compactor = createCompactor<Message>({
    codec: neutralCodec,
    limits: { contextWindow: 4_000, maxOutput: 100 },
    policy: { summary: { continuation }, retain: { turns: 0, tokens: { tokens: 0 } } },
  })
  const { messages } = await compactor.session('s').beforeModelCall(source)
  const own = messages.map(textOf).find((text) => text.endsWith(continuation)) as string
  expect(own).toMatch(/^<context-summary/)
  expect(neutralCodec.read(user(own)).summary).toEqual({ version: 1 })
  expect(neutralCodec.read(user(`${own}\n\nBut not today.`)).summary).toBeUndefined()
  expect(neutralCodec.read(user(own.replace('what is left', 'all of it'))).summary).toBeUndefined()
})
