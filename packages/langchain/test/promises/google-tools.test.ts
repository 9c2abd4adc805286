import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { compaction, messageCodec, withCompaction } from '@precis/langchain'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { readFile, vaultText } from '../vaults.ts'
import { asked, limits, name, vault } from './recall-rules/setup.ts'

// As `@langchain/google-genai` spells them: all functions of a call are one tool, and the content repeats what is called.

type Tools = readonly { readonly functionDeclarations: readonly { readonly name: string }[] }[]

class Google extends BaseChatModel {
  readonly offered: string[][][] = []
  readonly seen: string[] = []
  readonly calls: readonly string[]
  readonly refuses: boolean
  constructor(calls: readonly string[], refuses = false) {
    super({})
    this.calls = calls
    this.refuses = refuses
  }
  override _llmType(): string {
    return 'google'
  }
  override bindTools(tools: readonly unknown[]) {
    const functionDeclarations = tools.map((tool) => ({ name: (tool as { readonly name: string }).name }))
    return this.withConfig({ tools: [{ functionDeclarations }] } as never) as never
  }
  override async _generate(...[messages, options]: Parameters<BaseChatModel['_generate']>): Promise<ChatResult> {
    const { tools = [] } = options as { readonly tools?: Tools }
    this.seen.push(JSON.stringify(messages))
    this.offered.push(tools.map(({ functionDeclarations }) => functionDeclarations.map((one) => one.name)))
    if (this.refuses && JSON.stringify(tools).includes(name)) throw Object.assign(new Error(`400 Invalid tool ${name}`), { status: 400 })
    const calls = this.offered.length > 1 ? [] : this.calls
    const args = (tool: string): Record<string, string> => (tool === name ? { query: `the vault of ${vault.place}` } : { path: vault.path })
    const message = new AIMessage({
      content: [{ type: 'text', text: 'ok' }, ...calls.map((tool) => ({ type: 'functionCall', functionCall: { name: tool, args: args(tool) } }))] as never,
      tool_calls: calls.map((tool, at) => ({ id: `g${at}`, name: tool, args: args(tool) })),
    })
    return { generations: [{ text: 'ok', message }] }
  }
}

describe('tools in Google’s spelling', () => {
  it('withCompaction(): the look-up joins the functions of the call, and is answered', async () => {
    const model = new Google([name])
    await (withCompaction(model, { limits }).bindTools([readFile]) as BaseChatModel).invoke(asked())
    expect(model.offered).toEqual([[['read_file', name]], [['read_file', name]]])
    expect(model.seen[1]).toContain(vault.code)
  })
  it('compaction(): a model that refuses our tool is asked again without it', async () => {
    const model = new Google([], true)
    const { messages } = await createAgent({ model, tools: [readFile], middleware: [compaction({ limits })] }).invoke({ messages: asked() })
    expect(messages.at(-1)?.text).toBe('ok')
    expect(model.offered).toEqual([[['read_file', name]], [['read_file']]])
  })
  it('a look-up beside a call of the agent is not in what the agent is given', async () => {
    const agent = createAgent({ model: new Google([name, 'read_file']), tools: [readFile], middleware: [compaction({ limits })] })
    const { messages } = await agent.invoke({ messages: asked() })
    const [reply, result] = messages.slice(asked().length)
    expect(JSON.stringify(reply)).not.toContain(name)
    expect(JSON.stringify(reply)).toContain('functionCall')
    expect(result?.text).toBe(vaultText(vault.path))
  })
  it('a call that the content repeats is counted once', () => {
    const content = [{ type: 'functionCall', functionCall: { name: 'read', args: {} } }] as never
    const parts = messageCodec.read(new AIMessage({ content, tool_calls: [{ id: 'a', name: 'read', args: {} }] })).parts
    expect(parts.map(({ type }) => type)).toEqual(['tool-call'])
  })
})
