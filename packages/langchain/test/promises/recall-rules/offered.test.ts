import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { compaction, withCompaction } from '@precis/langchain'
import { recallModel } from '@precis/testkit'
import { createAgent, providerStrategy, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modelAt, namedQuestionOf, readFile, vaultScenario } from '../../vaults.ts'
import { asked, bare, close, history, limits, look, offered, refusals, scripted, start, vault } from './setup.ts'

afterEach(async () => {
  delete process.env['PRECIS_RECALL']
  await close()
})

describe('offered', () => {
  it.each(['recall: "off"', 'PRECIS_RECALL=off', 'no tools'] as const)('not with %s', async (how) => {
    if (how === 'PRECIS_RECALL=off') process.env['PRECIS_RECALL'] = 'off'
    const provider = await start()
    const model = withCompaction(bare('openai', provider), { limits, ...(how === 'recall: "off"' && { recall: 'off' }) })
    await (how === 'no tools' ? model : model.bindTools?.([readFile]))?.invoke(asked())
    expect(offered(provider)).toEqual([false])
  })
  it.each(['invoke', 'stream'] as const)('an object is what the model says last: %s', async (mode) => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Let me see.', calls: [look()] }),
        () => ({ text: '{"code":"x"}' }),
      ),
    })
    const model = withCompaction(bare('openai', provider), { limits })
      .bindTools?.([readFile])
      .withConfig({ response_format: { type: 'json_object' } } as never)
    let text = ''
    if (mode === 'invoke') text = (await model?.invoke(asked()))?.text ?? ''
    else for await (const chunk of (await model?.stream(asked())) ?? []) text += chunk.text
    expect(text).toBe('{"code":"x"}')
    expect(provider.requests).toHaveLength(2)
  })
  it('an agent with a response format gets its object', async () => {
    const provider = await start({
      model: scripted(
        () => ({ calls: [look()] }),
        () => ({ text: '{"code":"x"}' }),
      ),
    })
    const agent = createAgent({
      model: bare('openai', provider),
      tools: [readFile],
      responseFormat: providerStrategy(z.object({ code: z.string() })),
      middleware: [compaction({ limits })],
    })
    expect((await agent.invoke({ messages: asked() })).structuredResponse).toEqual({ code: 'x' })
    expect(provider.requests).toHaveLength(2)
  })
  it.each(['openai', 'openai-responses'] as const)('beside strict tools it is strict, and what it leaves out is null: %s', async (wire) => {
    const said: string[] = []
    const provider = await start({
      model: scripted(
        () => ({ calls: [{ ...look(), input: JSON.stringify({ query: vault.place, message: null, character: null }) }] }),
        (prompt) => {
          said.push(prompt.at(-1)?.text ?? '')
          return { text: 'Done.' }
        },
      ),
    })
    await withCompaction(bare(wire, provider), { limits })
      .bindTools?.([readFile], { strict: true } as object)
      .invoke(asked())
    expect(said.join()).toContain(vault.code)
    expect(offered(provider)).toEqual([true, true])
    const agent = createAgent({
      model: modelAt(wire, provider.url, { supportsStrictToolCalling: true }),
      tools: [readFile],
      middleware: [compaction({ limits, modelTools: true })],
    })
    await agent.invoke({ messages: asked() })
    expect(offered(provider)).not.toContain(false)
    expect(refusals(provider)).toEqual([])
  })
  it('recall: "tool" is answered by the agent’s own loop, from the same history', async () => {
    const provider = await start()
    const agent = createAgent({ model: bare('openai', provider), tools: [readFile], middleware: [compaction({ limits, recall: 'tool' })] })
    const { messages } = await agent.invoke({ messages: asked() })
    expect(messages.slice(history.length + 1).map((message) => message.getType())).toEqual(['ai', 'tool', 'ai'])
    expect(messages.at(-1)?.text).toBe(vault.code)
    expect(refusals(provider)).toEqual([])
  })
  it.each([
    [{ message: '[1]' }],
    [{ message: '0' }],
    [{ query: 4711 }],
    [{ query: 'code', message: null, character: null }],
    [{ query: 'code', limit: 5 }],
    [{}],
  ])('recall: "tool" is answered in words, however its arguments are written: %j', async (args) => {
    const [tool] = compaction({ limits, recall: 'tool' }).tools ?? []
    const reply = new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 'precis_recall', args }] })
    const state = { messages: [...history, reply] }
    const call = { id: 'a', name: 'precis_recall', args, type: 'tool_call' }
    const answer = (await (tool as never as { invoke(call: object, config: object): Promise<{ text: string; status?: string }> }).invoke(call, {
      state,
    })) as never as {
      text: string
      status?: string
    }
    expect(answer.status).not.toBe('error')
    expect(answer.text).not.toBe('')
  })
})

describe('a tool of the host with the same name', () => {
  type ChatModel = Pick<BaseChatModel, 'invoke' | 'stream'>
  const own = tool(async () => 'mine', { name: 'precis_recall', description: 'mine', schema: z.object({}) })
  const through = {
    invoke: (model: ChatModel, messages: BaseMessage[]) => model.invoke(messages),
    stream: async (model: ChatModel, messages: BaseMessage[]) => {
      for await (const _ of await model.stream(messages));
    },
  }
  it.each(['invoke', 'stream'] as const)('is the host’s, and what a question asks about comes back beside it: %s', async (how) => {
    for (const recall of ['on', 'asked'] as const) {
      const provider = await start({ model: recallModel(vaultScenario) })
      const model = withCompaction(bare('openai', provider), { limits, recall }).bindTools?.([readFile, own])
      await through[how](model as ChatModel, [...history, new HumanMessage(namedQuestionOf(vault))])
      expect(provider.requests.map(({ declared }) => declared.tools)).toEqual([['read_file', 'precis_recall']])
      expect(JSON.stringify(provider.requests).includes('Earlier passages')).toBe(recall === 'on')
    }
  })
  it('LangChain refuses it beside a middleware’s tool of that name: it goes with recall: "off"', async () => {
    const provider = await start({ model: recallModel(vaultScenario) })
    const agentWith = (recall: 'on' | 'off') =>
      createAgent({ model: bare('openai', provider), tools: [readFile, own], middleware: [compaction({ limits, recall })] })
    await expect(agentWith('on').invoke({ messages: asked() })).rejects.toThrow('precis_recall')
    await agentWith('off').invoke({ messages: asked() })
    expect(provider.requests.map(({ declared }) => declared.tools)).toEqual([['read_file', 'precis_recall']])
  })
})

describe('a prompt that the provider keeps', () => {
  it.each(['of the call', 'of the model'])('%s: no look-up is offered, and nothing comes back', async (whose) => {
    const provider = await start({ model: recallModel(vaultScenario) })
    const kept = { prompt: { id: 'pmpt_1' } }
    const model = modelAt('openai-responses', provider.url, whose === 'of the model' ? { modelKwargs: kept } : {})
    const wrapped = withCompaction(model, { limits }).bindTools?.([readFile], (whose === 'of the call' ? kept : {}) as object)
    const question = new HumanMessage(namedQuestionOf(vault))
    await wrapped?.invoke([...history, new HumanMessage('Hello.')]).catch(() => undefined)
    await wrapped?.invoke([...history, new HumanMessage('Hello.'), new AIMessage('Hello.'), question]).catch(() => undefined)
    expect(provider.requests.length).toBeGreaterThan(1)
    expect(offered(provider)).not.toContain(true)
    expect(JSON.stringify(provider.requests)).not.toContain('Earlier passages')
  })
})
