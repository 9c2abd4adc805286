import { Session } from 'node:inspector/promises'
import { writeFileSync } from 'node:fs'
import { createCompactor, type Message } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { neutral, readTranscripts, textOf, tokensOf } from '../evals/transcripts.ts'
const window = Number(process.argv[2]); const mode = process.argv[3] ?? 'warm'
function historyOf(tokens: number): readonly Message[] {
  const messages: Message[] = []; let held = 0
  for (let round = 0; held < tokens; round++) for (const [at, { set, messages: recorded }] of readTranscripts().entries()) {
    if (!/claude-code|pi|openhands/.test(set) || held >= tokens) continue
    for (const message of recorded) { const { role, parts } = neutral(message); if (role === 'system') continue
      messages.push({ role, parts: parts.map((part) => ('callId' in part ? { ...part, callId: `${part.callId}-${round}-${at}` } : part)) }); held += tokensOf(textOf(message)) } }
  return messages
}
const messages = historyOf(Math.max(1_000_000, window * 2.2))
const s = new Session(); s.connect(); await s.post('Profiler.enable'); await s.post('Profiler.setSamplingInterval', { interval: 200 })
const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: window } })
const session = compactor.session('r')
const self = new Map<string, number>(), incl = new Map<string, number>()
let n = 0, total = 0
const step = Math.max(1, Math.floor(messages.length / 600))
for (const [place, { role }] of messages.entries()) {
  if (role !== 'assistant' || place === 0 || place % step > 0) continue
  const history = messages.slice(0, place).map((m) => ({ ...m, parts: m.parts.map((p) => ({ ...p })) }))
  const which = mode === 'cold' ? createCompactor({ codec: neutralCodec, limits: { contextWindow: window } }).session('c') : session
  let outcome = ''
  if (mode === 'cold') { const { report } = await session.beforeModelCall(history); outcome = report.outcome; if (outcome === 'unchanged' || outcome === 'projected') continue; n++; if (n < 2) continue }
  const again = mode === 'cold' ? structuredClone(history) : history
  await s.post('Profiler.start')
  const t0 = performance.now()
  const { report } = await which.beforeModelCall(again)
  const t1 = performance.now()
  const { profile } = (await s.post('Profiler.stop')) as any
  outcome = report.outcome
  if (outcome !== 'unchanged' && outcome !== 'projected') {
    if (mode !== 'cold') n++
    if (n > 1) {
      total += t1 - t0
      const nodes = new Map<number, any>(profile.nodes.map((x: any) => [x.id, x])); const parent = new Map<number, number>()
      for (const x of profile.nodes) for (const c of x.children ?? []) parent.set(c, x.id)
      profile.samples.forEach((id: number, i: number) => { const dt = profile.timeDeltas[i] / 1000; const name = (x: any) => `${x.callFrame.functionName || '(anon)'} ${x.callFrame.url.split('/').slice(-1)[0]}:${x.callFrame.lineNumber + 1}`
        const node = nodes.get(id); self.set(name(node), (self.get(name(node)) ?? 0) + dt); const seen = new Set<string>(); for (let at: number | undefined = id; at !== undefined; at = parent.get(at)) seen.add(name(nodes.get(at))); for (const k of seen) incl.set(k, (incl.get(k) ?? 0) + dt) })
    }
  }
  await new Promise((r) => setTimeout(r, 30))
  if (n >= 7) break
}
const top = (m: Map<string, number>, k: number) => [...m].sort((a, b) => b[1] - a[1]).slice(0, k).map(([a, b]) => `${(b / (n - 1)).toFixed(2).padStart(8)} ${a}`).join('\n')
console.log('compactions', n - 1, 'mean ms', total / (n - 1)); console.log('SELF\n' + top(self, 45)); console.log('INCL\n' + top(incl, 90))
process.exit(0)
