import { Session } from 'node:inspector/promises'
import { createCompactor, type Message } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { neutral, readTranscripts, textOf, tokensOf } from '../evals/transcripts.ts'
const window = Number(process.argv[2]); const least = Number(process.argv[3] ?? 8)
function historyOf(tokens: number): readonly Message[] {
  const messages: Message[] = []; let held = 0
  for (let round = 0; held < tokens; round++) for (const [at, { set, messages: recorded }] of readTranscripts().entries()) {
    if (!/claude-code|pi|openhands/.test(set) || held >= tokens) continue
    for (const message of recorded) { const { role, parts } = neutral(message); if (role === 'system') continue
      messages.push({ role, parts: parts.map((part) => ('callId' in part ? { ...part, callId: `${part.callId}-${round}-${at}` } : part)) }); held += tokensOf(textOf(message)) } }
  return messages
}
const messages = historyOf(Math.max(1_000_000, window * 2.2))
const us = () => Number(process.hrtime.bigint() / 1000n)
const s = new Session(); s.connect(); await s.post('Profiler.enable'); await s.post('Profiler.setSamplingInterval', { interval: 500 })
const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: window } }).session('r')
const step = Math.max(1, Math.floor(messages.length / 600))
let n = 0
const blame = new Map<string, { count: number; worst: number; total: number }>()
const all: number[] = []
for (const [place, { role }] of messages.entries()) {
  if (role !== 'assistant' || place === 0 || place % step > 0) continue
  const history = messages.slice(0, place).map((m) => ({ ...m, parts: m.parts.map((p) => ({ ...p })) }))
  const measure = async (kind: string, work: () => Promise<string>) => {
    await new Promise((r) => setImmediate(r))
    const stretches: [number, number][] = []; let running = true; let last = 0
    const tick = () => { const now = us(); if (now - last > 500) stretches.push([last, now]); last = now; if (running) setImmediate(tick) }
    await s.post('Profiler.start'); setImmediate(tick); await new Promise((r) => setImmediate(r)); last = us(); stretches.length = 0
    const outcome = await work(); running = false; tick()
    const { profile } = (await s.post('Profiler.stop')) as any
    const nodes = new Map<number, any>(profile.nodes.map((x: any) => [x.id, x])); const parent = new Map<number, number>()
    for (const x of profile.nodes) for (const c of x.children ?? []) parent.set(c, x.id)
    let t = profile.startTime; const at: [number, number][] = profile.samples.map((id: number, i: number) => [(t += profile.timeDeltas[i]), id])
    for (const [a, b] of stretches) {
      all.push((b - a) / 1000)
      if (b - a < least * 1000) continue
      const count = new Map<string, number>(); let gc = 0, n = 0
      for (const [ts, id] of at) if (ts >= a && ts <= b) { n++; if (nodes.get(id).callFrame.functionName === '(garbage collector)') { gc++; continue }
        const chain: string[] = []; for (let k: number | undefined = id; k !== undefined; k = parent.get(k)) { const f = nodes.get(k).callFrame; if (f.url.includes('/work/main')) chain.push(`${f.functionName || '(anon)'} ${f.url.split('/').slice(-1)[0]}`) }
        for (const c of new Set(chain)) count.set(c, (count.get(c) ?? 0) + 1) }
      const net = (b - a) / 1000 * (1 - gc / Math.max(1, n))
      if (net < least) continue
      const key = kind + ' ' + [...count].sort((x, y) => y[1] - x[1]).filter(([k]) => !/slices-tmp|inSlices|pieces.ts/.test(k)).slice(0, 7).map(([k, v]) => `${k} ${Math.round(v / n * 100)}%`).join(' | ')
      console.log(kind, net.toFixed(1), 'gc', gc, '/', n, key.slice(0, 330))
    }
    return outcome
  }
  const outcome = await measure('call', async () => (await session.beforeModelCall(history)).report.outcome)
  await measure('idle', () => new Promise((r) => setTimeout(() => r(''), 30)))
  if (outcome === 'unchanged' || outcome === 'projected') continue
  n++
  const again = structuredClone(history)
  const cold = createCompactor({ codec: neutralCodec, limits: { contextWindow: window } }).session('c')
  await measure('cold', async () => (await cold.beforeModelCall(again)).report.outcome)
  if (n >= 5) break
}
all.sort((a, b) => b - a); console.log('longest', all.slice(0, 10).map((x) => x.toFixed(1)).join(' '), 'p99', all[Math.floor(all.length * 0.01)], all.length)
process.exit(0)
