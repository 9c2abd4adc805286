import { createCompactor, type PresetName, presets } from '@precis/core'
import { createRandom, freezeDeep, generateHistory } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { type WireName, type WireRequest, wires } from '../src/index.ts'
import { bodyOf, provider } from './bodies.ts'

const names = Object.keys(wires) as WireName[]
const seeds = Array.from({ length: 12 }, (_, at) => at + 1)

function read(name: WireName, body: unknown): WireRequest {
  const reading = wires[name].readRequest(body)
  if (!reading.ok) throw new Error(JSON.stringify(reading.problem))
  return reading.request
}

describe.each(names)('%s', (name) => {
  const { list, refuses } = provider[name]
  const valuesOf = (body: Readonly<Record<string, unknown>>): readonly unknown[] => body[list] as readonly unknown[]

  it('nothing changed: the body itself, and each value by reference', () => {
    for (const seed of seeds) {
      const body = freezeDeep(bodyOf(name, generateHistory(seed), seed))
      const request = read(name, body)
      expect(wires[name].writeRequest(request, { messages: [...request.messages], tools: request.tools, system: request.system })).toBe(body)
      const values = wires[name].write(request.messages)
      expect(values.length).toBe(valuesOf(body).length)
      for (const [at, value] of values.entries()) expect(value).toBe(valuesOf(body)[at])
    }
  })

  it('whatever a compaction does, the provider takes the body; what it kept is the same object, and so is all that is no message', async () => {
    let [compacted, kept] = [0, 0]
    for (const seed of seeds) {
      const history = generateHistory(seed, { turns: 30, output: 6_000 })
      const body = freezeDeep(bodyOf(name, history, seed))
      expect(refuses(valuesOf(body) as never)).toEqual([])
      const request = read(name, body)
      const preset = (Object.keys(presets) as PresetName[])[seed % Object.keys(presets).length] as PresetName
      const session = createCompactor({
        codec: wires[name].codec,
        limits: { contextWindow: 4_000 + seed * 500, maxOutput: 500 },
        policy: presets[preset],
      }).session('wire')
      // As a client grows it: the same request with more messages, read anew each time.
      for (const share of [0.4, 0.7, 1]) {
        const end = lastEnd(valuesOf(body), name, Math.ceil(valuesOf(body).length * share))
        const grown = read(name, { ...body, [list]: valuesOf(body).slice(0, end) })
        const { messages } = await session.beforeModelCall(grown.messages)
        const written = wires[name].writeRequest(grown, { messages })
        expect(refuses(valuesOf(written) as never), `seed ${seed}, ${preset}, ${share}`).toEqual([])
        for (const key of Object.keys(body)) if (key !== list) expect(written[key]).toBe(body[key])
        const originals = new Set(valuesOf(body))
        kept += valuesOf(written).filter((value) => originals.has(value)).length
        compacted += Number(valuesOf(written).length < end)
        // What was written can be read again, and says the same.
        const again = read(name, written)
        expect(again.messages.map(({ message }) => message.parts.map(told))).toEqual(
          read(name, JSON.parse(JSON.stringify(written))).messages.map(({ message }) => message.parts.map(told)),
        )
      }
      expect(request.messages.length).toBeGreaterThan(0)
    }
    expect(compacted).toBeGreaterThan(seeds.length)
    expect(kept).toBeGreaterThan(seeds.length * 10)
  })

  it('odd bodies: a problem or a reading, never an error', () => {
    const random = createRandom(5)
    const junk: readonly (() => unknown)[] = [
      null,
      undefined,
      5,
      'text',
      [],
      {},
      [null],
      { role: 5 },
      { content: [null, 5, 'x'] },
      { parts: [null, {}] },
      { tool_calls: [null, {}] },
      Number.NaN,
      10n,
    ].map((value) => () => value)
    const damaged = (value: unknown, depth = 0): unknown => {
      if (random.chance(depth === 0 ? 0.02 : 0.06)) return random.pick(junk)()
      if (Array.isArray(value)) return value.map((one) => damaged(one, depth + 1))
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, damaged(held, depth + 1)]))
    }
    let readings = 0
    for (let at = 0; at < 400; at++) {
      const body = at % 20 === 0 ? random.pick(junk)() : damaged(bodyOf(name, generateHistory(at + 1, { turns: 3 }), at))
      const reading = wires[name].readRequest(body)
      if (!reading.ok) {
        expect(reading.problem.expected).not.toBe('')
        continue
      }
      readings++
      const { request } = reading
      const { codec } = wires[name]
      for (const message of request.messages) {
        codec.read(message)
        codec.edit(message, { outputs: new Map([['x', { text: 'y', keepAttachments: true }]]), inputs: new Map([['x', '{}']]), media: 'gone' })
        codec.withoutToolResults(message, new Set(['x']))
      }
      // Rewritten value by value, nothing is lost that was not a message at all.
      wires[name].writeRequest(request, { messages: request.messages.slice(1), tools: [...request.tools, { name: 'x' }], system: 'y', maxOutput: 5 })
    }
    expect(readings).toBeGreaterThan(200)
  })
})

const told = (part: object): readonly unknown[] => ['callId', 'text', 'output', 'input'].map((key) => (part as Record<string, unknown>)[key])

/** The first place from `at` on at which a request may end: behind results or words of a user. */
function lastEnd(values: readonly unknown[], name: WireName, at: number): number {
  for (let end = at; end < values.length; end++) if (provider[name].refuses(values.slice(0, end) as never).length === 0) return end
  return values.length
}
