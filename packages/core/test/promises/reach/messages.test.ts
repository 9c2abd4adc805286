import { createArchive, type Message, memoryStorage, neutralCodec, type ToolDefinition } from '@precis/core'
import { assistant, call, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { output } from './setup.ts'

describe('recall_history', () => {
  const archived = async (source: readonly Message[]): Promise<ToolDefinition> => {
    const archive = createArchive(memoryStorage(), { redact: false })
    await archive.saveTranscript('s', source, source)
    return archive.recallTool('s', neutralCodec)
  }
  const message = async (tool: ToolDefinition, offset: number): Promise<string> => {
    let text = ''
    for (let column: number | undefined = 1; column !== undefined; ) {
      const answer: string = await tool.execute({ offset, column })
      const next: RegExpExecArray | null =
        /^([\s\S]*)\n\[(?:end of message \d+|\d+ more characters of message \d+; go on with offset \d+, column (\d+))\]$/.exec(answer)
      expect(next).not.toBeNull()
      text += next?.[1] ?? ''
      column = next?.[2] === undefined ? undefined : Number(next[2])
    }
    return text
  }
  it('leads to every character of every message', async () => {
    const texts = fc.array(output, { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        const source = list.flatMap((text, at) => [user(`q ${text}`), call('fetch', `c${at}`, { text }), result(`c${at}`, `r ${text}`), assistant(`a ${text}`)])
        const tool = await archived(source)
        for (const [at, { parts }] of source.entries()) {
          const shown = await message(tool, at)
          for (const part of parts) expect(shown).toContain('text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : '')
        }
      }),
      { numRuns: 25 },
    )
  })
  it('shows a match in its surroundings, and where to read on', async () => {
    const long = `${'hay '.repeat(30_000)}E4711: ledger checksum mismatch${' hay'.repeat(30_000)}`
    const tool = await archived([user('go'), call('fetch', 'c', {}), result('c', long), assistant('seen'), user('on')])
    const answer = await tool.execute({ query: 'E4711' })
    expect(answer).toContain('E4711: ledger checksum mismatch hay')
    const [, offset, column] = /offset (\d+), column (\d+)/.exec(answer) ?? []
    expect(await tool.execute({ offset: Number(offset), column: Number(column) })).toContain('E4711: ledger checksum mismatch')
  })
  it('pages from message to message without passing one over', async () => {
    const source = Array.from({ length: 60 }, (_, at) =>
      at % 2 === 0 ? user(`question number ${at}. ${'word '.repeat(1_500)}`) : assistant(`answer number ${at}. ${'word '.repeat(1_500)}`),
    )
    const tool = await archived(source)
    const seen = new Set<string>()
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const answer: string = await tool.execute({ offset, limit: 100 })
      for (const [text] of answer.matchAll(/(?:question|answer) number \d+/g)) seen.add(text)
      const next: RegExpExecArray | null = /go on with offset (\d+)\]$/.exec(answer)
      offset = next === null ? undefined : Number(next[1])
    }
    expect(seen.size).toBe(60)
  })
})
