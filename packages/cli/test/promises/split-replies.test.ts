import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { presets } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { type Evaluation, inspect, parseTranscripts, type Transcript } from '../../src/index.ts'
import { watched } from '../../src/look/watched.ts'
import { compactctl } from '../log/setup.ts'

const folder = await mkdtemp(join(tmpdir(), 'precis-replies-'))
const replies = 20
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const output = (at: number): string => Array.from({ length: 60 }, (_, line) => `line ${line} of src/module_${at % 7}.ts`).join('\n')

/** A session of Claude Code: a line for each reply, or for each block of one; `late`: the output of the first call before the line of the second. */
function claude(lineEach: 'reply' | 'block', late = false): string {
  const line = (role: string, message: object) => ({ type: role, uuid: crypto.randomUUID(), message: { role, ...message } })
  const turn = (at: number): readonly object[] => {
    const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `src/module_${at % 7}.ts` } })
    const result = (id: string) => line('user', { content: [{ type: 'tool_result', tool_use_id: id, content: output(at) }] })
    const blocks = [{ type: 'text', text: `Now module ${at}.` }, call(`a${at}`), call(`b${at}`)]
    const reply = (content: readonly object[]) => line('assistant', { id: `msg_${at}`, content })
    if (lineEach === 'reply') return [reply(blocks), result(`a${at}`), result(`b${at}`)]
    const [words, first, second] = blocks.map((block) => reply([block]))
    return [words, first, ...(late ? [result(`a${at}`), second] : [second, result(`a${at}`)]), result(`b${at}`)] as readonly object[]
  }
  return lines([line('user', { content: 'Look at each module.' }), ...Array.from({ length: replies }, (_, at) => turn(at)).flat()])
}

/** The same as items, as Codex and the API of OpenAI have them. */
const items = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look at each module.' }] },
  ...Array.from({ length: replies }, (_, at) => [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: `Now module ${at}.` }] },
    { type: 'function_call', call_id: `a${at}`, name: 'read', arguments: `{"path":"src/module_${at % 7}.ts"}` },
    { type: 'function_call_output', call_id: `a${at}`, output: output(at) },
  ]).flat(),
]
const codex = lines([{ type: 'session_meta', payload: {} }, ...items.map((payload) => ({ type: 'response_item', payload }))])

const callsIn = async (text: string): Promise<Evaluation> => {
  const path = join(folder, 'log.jsonl')
  await writeFile(path, text)
  return JSON.parse((await compactctl(['eval', path, '-w', '4000', '--json'])).out)[0] as Evaluation
}
const parsed = (text: string): Transcript => parseTranscripts(text, 'log')[0] as Transcript

describe('a reply that a log has in pieces is one call', () => {
  it.each([
    ['Claude Code, a line for each block', claude('block')],
    ['Claude Code, an output between two blocks of a reply', claude('block', true)],
  ])('in eval: %s', async (_, text) => {
    const [split, whole] = [await callsIn(text), await callsIn(claude('reply'))]
    expect(whole.calls).toBe(replies)
    expect(split).toEqual(whole)
  })
  it.each([
    ['Codex', codex],
    ['items of OpenAI Responses', lines(items)],
  ])('in eval: %s', async (_, text) => expect((await callsIn(text)).calls).toBe(replies))
  it('in inspect: what came again is counted once for each later call', () => {
    const [split, whole] = [inspect(parsed(claude('block'))), inspect(parsed(claude('reply')))]
    expect(split).toEqual(whole)
  })
  it('in watch: the calls until the next compaction', () => {
    const left = (text: string) => watched(parsed(text), { window: 64_000, policy: presets.balanced }).callsLeft ?? 0
    expect(left(claude('block'))).toBe(left(claude('reply')))
  })
  it('but two replies one after the other are two', async () => {
    const said = (id: string) => ({ type: 'assistant', uuid: id, message: { id, role: 'assistant', content: [{ type: 'text', text: output(1) }] } })
    const text = lines([{ type: 'user', uuid: 'u', message: { role: 'user', content: output(0).repeat(9) } }, said('a'), said('b'), said('c')])
    expect((await callsIn(text)).calls).toBe(3)
  })
})
