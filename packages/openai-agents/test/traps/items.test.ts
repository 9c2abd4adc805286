import { describe, expect, it } from 'vitest'
import { type AgentItem, createCodec } from '../../src/index.ts'
import { call, result, sent, steps, user, words } from './setup.ts'

describe('items', () => {
  it.each([
    [
      'a shell call',
      { type: 'shell_call', callId: 'x', action: { commands: ['ls'] } },
      { type: 'shell_call_output', callId: 'x', output: [{ stdout: words(200), stderr: '', outcome: { type: 'exit', exitCode: 0 } }] },
    ],
    [
      'a computer call',
      { type: 'computer_call', callId: 'x', action: { type: 'screenshot' } },
      { type: 'computer_call_result', callId: 'x', output: { type: 'computer_screenshot', data: 'iVBOR' } },
    ],
    [
      'a patch',
      { type: 'apply_patch_call', callId: 'x', operation: { type: 'update_file', path: 'a', diff: words(200) } },
      { type: 'apply_patch_call_output', callId: 'x', output: 'done' },
    ],
    [
      'an approval of an MCP call',
      { type: 'hosted_tool_call', id: 'x', name: 'mcp_approval_request', providerData: { arguments: words(99) } },
      { type: 'hosted_tool_call', name: 'mcp_approval_response', providerData: { approval_request_id: 'x', approve: true } },
    ],
    [
      'a search for tools',
      { type: 'tool_search_call', providerData: { call_id: 'x' } },
      { type: 'tool_search_output', providerData: { call_id: 'x', tools: [words(99)] } },
    ],
  ])('%s and its result stay or leave together', async (_, first, second) => {
    for (const place of [1, 13, 31, 55, 61]) {
      const items = [user('go'), ...steps(20), user('and now?')]
      items.splice(place, 0, first as AgentItem, second as AgentItem)
      const shown = await sent(items)
      expect(shown.length).toBeLessThan(items.length)
      const kinds = shown.map((item) => (item.type === 'hosted_tool_call' ? item.name : item.type))
      const has = (item: { type: string; name?: string }) => kinds.includes(item.type === 'hosted_tool_call' ? item.name : item.type)
      expect(has(first)).toBe(has(second))
    }
  })
  it('an approval that nobody has answered yet stays', async () => {
    const request = { type: 'hosted_tool_call', id: 'x', name: 'mcp_approval_request', providerData: { arguments: '{}' } }
    const shown = await sent([user('go'), ...steps(20), user('delete it'), request])
    expect(shown.at(-1)).toEqual(request)
  })
  it('a program, the calls that it makes and its output are one', async () => {
    const program = [
      { type: 'program', callId: 'p', code: 'for …' },
      call('inner', { caller: { type: 'program', callerId: 'p' } }),
      result('inner', words(100)),
      { type: 'program_output', callId: 'p', output: 'done' },
    ]
    for (const place of [1, 31, 58]) {
      const items = [user('go'), ...steps(20), user('and now?')]
      items.splice(place, 0, ...program)
      const shown = await sent(items)
      const found = program.filter((item) => shown.some((one) => one.type === item.type && one.callId === item.callId)).length
      expect([0, program.length]).toContain(found)
    }
  })
  it('reasoning is kept with what follows it, or leaves with it', async () => {
    const thought = (id: string): AgentItem[] => [
      { type: 'reasoning', id: `rs_${id}`, content: [{ type: 'input_text', text: 'hm' }] },
      call(id, { id: `fc_${id}` }),
      result(id, words(250)),
    ]
    const shown = await sent([user('go'), ...Array.from({ length: 20 }, (_, at) => thought(`t${at}`)).flat(), user('and now?')])
    shown.forEach((item, at) => {
      if (item.type === 'reasoning') expect(shown[at + 1]).toMatchObject({ type: 'function_call', id: String(item['id']).replace('rs_', 'fc_') })
      if (item.type === 'function_call') expect(shown[at - 1]?.type).toBe('reasoning')
    })
  })
  it('nothing is put between parallel calls and their results', async () => {
    const fan = [call('a'), call('b'), result('a', words(150)), result('b', words(150))]
    const shown = await sent([user('go'), ...steps(14), ...fan, user('and now?')])
    const at = shown.findIndex((item) => item.callId === 'a')
    expect(at).toBeGreaterThan(0)
    expect(shown.slice(at, at + 4).map((item) => item.callId)).toEqual(['a', 'b', 'a', 'b'])
  })
  it('a compaction item of the provider is a barrier: kept, and nothing is placed before it', async () => {
    const compaction = { type: 'compaction', id: 'cmp', encrypted_content: 'x' }
    const shown = await sent([compaction, user('on'), ...steps(20), user('and now?')])
    expect(shown[0]).toEqual(compaction)
    expect(shown.length).toBeLessThan(63)
  })
  it('unknown items pass as they are', async () => {
    const unknown = { type: 'unknown', providerData: { type: 'hologram', payload: 'x' } }
    const shown = await sent([user('go'), unknown, user('on')])
    expect(shown[1]).toEqual(unknown)
  })
  it('a summary is a user message that says what it is, and is read as a summary again', async () => {
    const shown = await sent([user('go'), ...steps(20), user('and now?')])
    const codec = createCodec()
    const summaries = shown.filter((item) => codec.read(item).summary !== undefined)
    expect(summaries.map((item) => item.role)).toEqual(['user'])
  })
})
