import {
  createArchive,
  createCompactor,
  createRedactor,
  createToolOutputStore,
  type Embedder,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
  secretRules,
  withoutBinary,
} from '@precis/core'
import { fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// Secrets are put together here, so that this file sets off nobody's alarm.
const token = `gh${'p'}_${'a1B2'.repeat(9)}`
const keyLines = Array.from({ length: 40 }, (_, line) => `${line % 10}${'MIIEowIBAAKCAQEA7bq9Z+kX/2vQ'.repeat(3).slice(0, 63)}`)
const privateKey = [`-----BEGIN RSA ${'PRIVATE'} KEY-----`, ...keyLines, `-----END RSA ${'PRIVATE'} KEY-----`].join('\n')

async function everything(storage: StorageDriver): Promise<string> {
  let text = ''
  for await (const key of storage.list('')) text += `${key}\n${(await storage.get(key))?.body}\n`
  return text
}

const filler = (words: number): string => Array.from({ length: words }, (_, at) => `line ${at} of the build says nothing new`).join('\n')

/** A conversation in which a file with a key is read, a password is typed, and much else happens. */
function history(): readonly Message[] {
  const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: `Deploy it. The token is ${token}, and you must never print it.` }] }]
  for (let step = 0; step < 12; step++) {
    messages.push(
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', callId: `c${step}`, tool: 'bash', input: JSON.stringify({ command: `echo "a\n${token}" && cat key` }) }],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: `c${step}`, tool: 'bash', output: `${filler(28)}\n${privateKey}\n${filler(step === 3 ? 300 : 20)}` }],
      },
    )
  }
  messages.push({ role: 'assistant', parts: [{ type: 'text', text: 'Deployed.' }] }, { role: 'user', parts: [{ type: 'text', text: 'And now the tests.' }] })
  return messages
}

function leaks(text: string): readonly string[] {
  return [...keyLines.map((line) => line.slice(4, 40)), token, 'hunter2'].filter((secret) => text.includes(secret))
}

describe('structured values are redacted by the names that they stand under', () => {
  it.each([
    ['a field', { password: 'hunter2' }],
    ['a field of a field', { db: { auth: { password: { value: 'hunter2' } } } }],
    ['a list', { passwords: ['hunter2', 'hunter2'] }],
    ['a name beside its value', { env: [{ name: 'DB_PASSWORD', value: 'hunter2' }] }],
    ['JSON in JSON', { body: JSON.stringify({ note: JSON.stringify({ password: 'hunter2' }) }) }],
  ])('%s', async (_, args) => {
    const storage = memoryStorage()
    const source = [{ role: 'assistant', content: [{ type: 'tool-call', toolName: 'login', input: args }] }]
    const read: readonly Message[] = [{ role: 'assistant', parts: [{ type: 'text', text: 'x' }] }]
    await createArchive<unknown>(storage).saveTranscript('s', source, read)
    expect(await everything(storage)).not.toContain('hunter2')
    expect((await createArchive<unknown>(storage).read('s')).messages).toMatchObject([{ role: 'assistant', content: [{ toolName: 'login' }] }])
  })
  it('leaves what is no secret as it is', async () => {
    const storage = memoryStorage()
    const source = [{ role: 'user', content: 'the password is needed', usage: { tokens: 812, key: 'a' }, list: [1, null, true] }]
    await createArchive<unknown>(storage).saveTranscript('s', source, [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }])
    expect((await createArchive<unknown>(storage).read('s')).messages).toEqual(source)
  })
})

describe('texts are redacted by what they mean', () => {
  const redact = createRedactor()
  it.each([
    ['a line break in JSON', JSON.stringify({ out: `first\n${token}\nlast` })],
    ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ out: `first\n${token}` }) })],
    ['JSON in JSON in JSON', JSON.stringify(JSON.stringify({ body: JSON.stringify({ out: `\t${token}` }) }))],
    ['an entity of HTML', `<a title="&quot;${token}&quot;">`],
    ['a URL', `https://ci.internal/?state=%7B%22t%22%3A%22${token}%22%7D`],
    ['colors', `\u001b[32m${token}\u001b[0m`],
    [
      'a Unicode escape',
      JSON.stringify({ url: `?a=1&t=${token}` })
        .replace('&', '\\u0026')
        .replace('=gh', '\\u003dgh'),
    ],
  ])('%s', (_, text) => {
    const hidden = redact(text)
    expect(hidden).not.toContain(token)
    if (text.startsWith('{') || text.startsWith('"')) expect(JSON.parse(hidden)).toBeTruthy()
    expect(redact(hidden)).toBe(hidden)
  })
})

describe('no piece of a secret leaves because it was cut', () => {
  it('in requests, in the state, in the archive, in the store of outputs', async () => {
    const [storage, archived, stored] = [memoryStorage(), memoryStorage(), memoryStorage()]
    const summarizer = fakeSummarizer()
    const session = createCompactor({
      codec: neutralCodec,
      limits: { contextWindow: 16_000, maxOutput: 1_000 },
      policy: { summary: { author: 'model' } },
      summarizer,
      storage,
      archive: createArchive<Message>(archived),
      outputs: createToolOutputStore(stored),
    }).session('s')
    await session.beforeModelCall(history())
    await session.compact(history(), { focus: `what ${token} is for, with password=hunter2` })
    await session.schedule({ focus: `what ${token} is for` })
    expect(summarizer.requests.length).toBeGreaterThan(0)
    expect(leaks(JSON.stringify(summarizer.requests))).toEqual([])
    for (const place of [storage, archived, stored]) expect(leaks(await everything(place))).toEqual([])
  })
  it('in what an embedder reads', async () => {
    const texts: string[] = []
    const embedder: Embedder = {
      name: 'remote',
      embed: async (given) => {
        texts.push(...given)
        return given.map((_, at) => [at, 1])
      },
    }
    const session = createCompactor({
      codec: neutralCodec,
      limits: { contextWindow: 8_000, maxOutput: 1_000 },
      policy: { retain: { turns: 1, toolPairs: 0, tokens: { tokens: 200 }, semantic: { clusters: 2, tokens: { tokens: 1_000 } } } },
      embedder,
    }).session('s')
    await session.compact(history())
    expect(texts.length).toBeGreaterThan(0)
    expect(leaks(texts.join('\n'))).toEqual([])
  })
})

describe('files on record', () => {
  const base64 = btoa(`%PDF-1.7\n${Array.from({ length: 400 }, (_, at) => at).join(' ')}`)
  const part = (data: unknown) => ({ type: 'file', mediaType: 'application/pdf', data })
  const recorded = async (data: unknown, redact?: Parameters<typeof createArchive>[1]) => {
    const archive = createArchive<object>(memoryStorage(), redact)
    await archive.saveTranscript('s', [{ role: 'user', content: [part(data)] }], [{ role: 'user', parts: [] }])
    return (await archive.read('s')).messages[0]
  }
  const redact = createRedactor([...secretRules, withoutBinary])

  it.each([
    ['base64 as the framework holds it', base64, base64, undefined],
    ['a data URL as it is', `data:application/pdf;base64,${base64}`, `data:application/pdf;base64,${base64}`, undefined],
    ['bytes by their length', new Uint8Array(9_000), { $bytes: 9_000 }, undefined],
    ['base64 by what it was, where asked', base64, expect.stringMatching(/^\[application\/pdf, \d+ bytes, not shown as text\]$/), { redact }],
    ['a data URL by what it was, where asked', `data:image/png;base64,${base64}`, expect.stringMatching(/^\[image\/png, \d+ bytes/), { redact }],
  ])('%s', async (_, data, written, options) => {
    expect(await recorded(data, options)).toEqual({ role: 'user', content: [part(written)] })
  })
})
