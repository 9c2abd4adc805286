import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseTranscripts } from '../../src/index.ts'
import { markdownOf } from '../../src/look/markdown.ts'
import { subjectOf } from '../../src/transcripts/subject.ts'
import { compactctl } from '../log/setup.ts'

// A part of a secret is none by any rule: it has to be replaced before a text is cut. Put together here, so that this file sets off nobody's alarm.
const token = `gh${'p'}_${'a1B2'.repeat(9)}`
const address = 'postgres://admin:s3cr/et@part@db.internal/app'
const beginnings = [token.slice(0, 16), 'postgres://admin:s3cr']

/** A text in which the character at this place stands in the middle of a secret. */
const crossing = (secret: string, place: number): string =>
  `${'a line of words\n'.repeat(place).slice(0, place - Math.floor(secret.length / 2) - 1)} ${secret}\nend`

const steps = [token, address].flatMap((secret, at) => [
  { role: 'assistant', parts: [{ type: 'tool-call', callId: `c${at}`, tool: 'bash', input: JSON.stringify({ script: crossing(secret, 7_900) }) }] },
  { role: 'tool', parts: [{ type: 'tool-result', callId: `c${at}`, tool: 'bash', output: crossing(secret, 8_000) }] },
])
const log = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }, ...steps, { role: 'assistant', parts: [{ type: 'text', text: 'done' }] }]
const text = log.map((line) => JSON.stringify(line)).join('\n')

it('continue, remembered and report show no part of a secret that crosses the end of what they show of an output', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'precis-cut-'))
  const [file, page] = [join(folder, 'session.jsonl'), join(folder, 'page.html')]
  await writeFile(file, text)
  expect(await compactctl(['report', file, '-w', '64000', '-o', page])).toMatchObject({ code: 0 })
  const shown = [(await compactctl(['continue', file])).out, (await compactctl(['remembered', file])).out, await readFile(page, 'utf8')]
  for (const one of shown) {
    expect(one).toContain('a line of words')
    expect(beginnings.filter((beginning) => one.includes(beginning))).toEqual([])
  }
})

it('wherever the secret begins', () => {
  const [transcript] = parseTranscripts(text, 'log')
  const [, , result] = transcript?.messages.map((message) => transcript.codec.read(message)) ?? []
  for (let place = 7_980; place <= 8_060; place += 8) {
    const output = crossing(token, place)
    const parts = result?.parts.map((part) => (part.type === 'tool-result' ? { ...part, output } : part)) ?? []
    expect(markdownOf([{ role: 'tool', parts }])).not.toContain(token.slice(0, 8))
  }
})

it('what a call was about is cut likewise', () => {
  const what = subjectOf(JSON.stringify({ url: `https://db.internal/${'x'.repeat(160)}?token=${token}` }))
  expect(what).toContain('https://db.internal/')
  expect(what).not.toContain(token.slice(0, 8))
})
