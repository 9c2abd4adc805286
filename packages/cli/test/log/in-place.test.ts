import { chown, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateHistory, toAnthropic, toOpenAIChat, validateAnthropic, validateOpenAIChat } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { readTranscripts } from '../../src/index.ts'
import { claudeLog, compactctl, file, folder, lines } from './setup.ts'

describe('compact --in-place', () => {
  const messages = toOpenAIChat(generateHistory(9, { turns: 40 }))
  it.runIf(process.getuid?.() === 0)('as root leaves a file to its owner', async () => {
    const own = await mkdtemp(join(folder, 'owner-'))
    const path = join(own, 'a.jsonl')
    await writeFile(path, lines(messages), { mode: 0o600 })
    await chown(path, 65_534, 65_534)
    const { code } = await compactctl(['compact', path, '--in-place', '-w', '8000', '--root', join(own, 'archive')])
    expect(code).toBe(0)
    const { uid, gid, mode } = await stat(path)
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 65_534, gid: 65_534, mode: 0o600 })
  })
  it.each([
    ['lines', 'a.jsonl', lines(messages)],
    ['a list', 'b.json', JSON.stringify(messages, null, 2)],
    ['a request', 'c.json', JSON.stringify({ model: 'x', temperature: 0, messages })],
    ['a request of another API', 'd.json', JSON.stringify({ model: 'x', temperature: 0, messages: toAnthropic(generateHistory(9, { turns: 40 })) })],
  ])('%s: a copy and the archive first, then the file in its own form', async (_, name, text) => {
    const own = await mkdtemp(join(folder, 'in-place-'))
    const path = join(own, name)
    await writeFile(path, text, { mode: 0o640 })
    const root = join(own, 'archive')
    const { code, out, err } = await compactctl(['compact', path, '--in-place', '-w', '8000', '--root', root])
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toContain('as it was:')
    const files = (await readdir(own)).filter((one) => one !== 'archive')
    expect(files).toHaveLength(2)
    const backup = files.find((one) => one.endsWith('.bak')) ?? ''
    expect(await readFile(join(own, backup), 'utf8')).toBe(text)
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    const after = await readFile(path, 'utf8')
    const [transcript] = await readTranscripts(path)
    expect(transcript?.messages.length).toBeLessThan(messages.length)
    const held = name === 'a.jsonl' ? transcript?.write(transcript.messages) : (JSON.parse(after).messages ?? JSON.parse(after))
    expect((name === 'd.json' ? validateAnthropic(held).filter(({ rule }) => rule !== 'no-prefill') : validateOpenAIChat(held)).length).toBe(0)
    if (name === 'b.json') expect(after.startsWith('[\n  {')).toBe(true)
    if (name > 'c') expect(JSON.parse(after)).toMatchObject({ model: 'x', temperature: 0 })
    const restored = await compactctl(['restore', name.split('.')[0] ?? '', '--root', root])
    // Anthropic's messages hold several of ours.
    expect(restored.out.trim().split('\n').length).toBeGreaterThan(name === 'd.json' ? 200 : messages.length - 1)
  })

  it('with nothing to compact writes nothing: no file, no copy, no session', async () => {
    const own = await mkdtemp(join(folder, 'unchanged-'))
    const [path, root] = [join(own, 's.jsonl'), join(own, 'archive')]
    const bytes = Buffer.concat([
      Buffer.from('{"role":"user","content":"go","id":12345678901234567890}\r\n{"role":"user","content":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\r\n'),
    ])
    await writeFile(path, bytes)
    const { code, out } = await compactctl(['compact', path, '-i', '--root', root])
    expect([code, out]).toEqual([0, expect.stringMatching(/^fits: 11 of 192,000 tokens, nothing to do; [\s\S]*s\.jsonl stays as it is\n$/)])
    expect([await readFile(path), await readdir(own)]).toEqual([bytes, ['s.jsonl']])
    expect((await compactctl(['sessions', '--root', root])).err).toContain('there is no such folder')
  })

  it.each([[[]], [['--focus', 'paths']]])('what fits stays as it is, however often it runs; --force compacts it all the same (%s)', async (more) => {
    const own = await mkdtemp(join(folder, 'fits-'))
    const [path, root] = [join(own, 's.jsonl'), join(own, 'archive')]
    await writeFile(path, lines(messages))
    const nightly = () => compactctl(['compact', path, '-i', '-w', '1M', '--root', root, ...more])
    for (const { code, out } of [await nightly(), await nightly()])
      expect([code, out]).toEqual([0, expect.stringMatching(/^fits: [\d,]+ of 992,000 tokens, nothing/)])
    expect([await readFile(path, 'utf8'), await readdir(own)]).toEqual([lines(messages), ['s.jsonl']])
    for (const how of [[], ['--stream']]) {
      expect(await compactctl(['compact', path, '-w', '1M', ...how])).toMatchObject({ code: 0, out: lines(messages), err: expect.stringMatching(/^fits: /) })
      expect((await compactctl(['compact', path, '-w', '1M', '--force', ...how])).err).toMatch(/^summarized /)
    }
    for (const look of ['plan', 'inspect', 'diff']) expect((await compactctl([look, path, '-w', '1M'])).out).toMatch(/nothing to do\n$/)
    for (const look of ['plan', 'diff']) expect((await compactctl([look, path, '-w', '1M', '--force'])).out).toMatch(/→/)
    expect((await compactctl(['compact', path, '-i', '-w', '1M', '--root', root, '--force'])).out).toContain('as it was:')
  })

  it('compacts once what is due, and then it fits; by a policy that leaves it to people, too', async () => {
    const own = await mkdtemp(join(folder, 'due-'))
    const [path, root] = [join(own, 's.jsonl'), join(own, 'archive')]
    await writeFile(path, lines(messages))
    const config = await file('manual.yaml', 'policy: { trigger: { auto: false } }')
    const nightly = () => compactctl(['compact', path, '-i', '-w', '8000', '--root', root])
    expect((await compactctl(['plan', path, '-w', '8000', '-c', config])).out).toContain('compact, ')
    expect((await nightly()).out).toContain('as it was:')
    const after = await readFile(path, 'utf8')
    expect((await nightly()).out).toMatch(/^fits: /)
    expect(await readFile(path, 'utf8')).toBe(after)
  })

  it('keeps each line that was left alone byte for byte: digits, line ends, spaces, what is no UTF-8', async () => {
    const own = await mkdtemp(join(folder, 'lines-'))
    const path = join(own, 's.jsonl')
    const odd = Buffer.from('{ "big":12345678901234567890, "odd":"\xff",', 'latin1')
    const bytes = Buffer.concat(messages.flatMap((message) => [odd, Buffer.from(`${JSON.stringify(message).slice(1)}\r\n`)]))
    await writeFile(path, bytes)
    expect(await compactctl(['compact', path, '-i', '-w', '8000', '--root', join(own, 'archive')])).toMatchObject({ code: 0 })
    const after = (await readFile(path, 'latin1')).split('\n')
    expect(after.slice(0, -1).every((line) => line.endsWith('\r'))).toBe(true)
    const before = new Set(bytes.toString('latin1').split('\n'))
    expect(after.filter((line) => line !== '' && before.has(line)).length).toBeGreaterThan(3)
    expect(after.length).toBeLessThan(messages.length / 2)
  })

  it.each([
    ['input', '{"input":[{"role":"user","content":"x"}]}'],
    ['messages', '{"messages":[{"role":"user","content":"x"}]}'],
    ['contents', '{"contents":[{"parts":[{"text":"x"}]}]}'],
  ])('a line that holds "%s" among messages is an error, and nothing is lost', async (name, line) => {
    const path = await file(`among-${name}.jsonl`, `${lines(messages)}\n${line}\n`)
    const { code, err } = await compactctl(['compact', path, '-i', '-w', '8000', '--root', join(folder, 'among')])
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`line ${messages.length + 2}: it holds "${name}", and the values before it are messages themselves.`),
    ])
    expect(await readFile(path, 'utf8')).toBe(`${lines(messages)}\n${line}\n`)
  })

  it('a log of another program stays as it is', async () => {
    const path = await file('foreign.jsonl', claudeLog(60))
    const before = await readFile(path, 'utf8')
    const { code, err } = await compactctl(['compact', path, '-i', '-w', '4000', '--root', join(folder, 'none')])
    expect(code).toBe(1)
    expect(err).toMatch(/is claude-code.*--out/)
    expect(await readFile(path, 'utf8')).toBe(before)
    expect((await readdir(folder)).some((name) => name.startsWith('foreign.jsonl.'))).toBe(false)
  })

  it('an archive that cannot be written leaves the file as it is', async () => {
    const path = await file('kept.jsonl', lines(messages))
    const root = await file('no-folder', 'a file')
    const { code } = await compactctl(['compact', path, '-i', '-w', '8000', '--root', root])
    expect(code).toBe(1)
    expect(await readFile(path, 'utf8')).toBe(lines(messages))
  })

  it('a file that is not there is named', async () => {
    expect((await compactctl(['compact', '/nowhere.jsonl', '-i'])).err).toContain('Cannot read /nowhere.jsonl: there is no such file.')
  })

  it('goes with neither --out nor --stream', async () => {
    const path = await file('copy.jsonl', lines(messages))
    expect(await compactctl(['compact', path, '-i', '-o', join(folder, 'x')])).toMatchObject({ code: 2 })
    expect(await compactctl(['compact', path, '-i', '--stream'])).toMatchObject({ code: 2 })
  })
})
