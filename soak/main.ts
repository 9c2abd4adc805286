// Random agent sessions of three windows and more, for every preset, checked in every wire shape. `--sessions=1000` (default), `--preset=`, `--adapter=`, `--harsh` (replies of up to half the window, hidden windows, refusals without numbers), `--gate`.
import { type PresetName, presets } from '@precis/core'
import { type AdapterUnderTest, type SoakResult, soakSession, wireShapes } from '@precis/testkit'

const option = (name: string, fallback: string): string => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1] ?? fallback
const sessions = Number(option('sessions', '1000'))
const only = option('preset', '')
const gate = process.argv.includes('--gate')
const harsh = process.argv.includes('--harsh')
/** Least share of the runs that must have been compacted twice or more: others prove nothing. */
const leastTwice = 0.95

/** `--adapter=ai-sdk|langchain|openai-agents`: the session is handed that framework's messages, through its codec. */
const adapters: Readonly<Record<string, () => Promise<AdapterUnderTest<never>>>> = {
  'ai-sdk': async () => ({
    codec: (await import('../packages/wire/src/ai-sdk/codec.ts')).createCodec(),
    make: (await import('../packages/ai-sdk/test/make.ts')).make as never,
  }),
  langchain: async () => ({
    codec: (await import('../packages/langchain/src/codec.ts')).messageCodec as never,
    make: (await import('../packages/langchain/test/make.ts')).make as never,
    splits: 'results',
  }),
  'openai-agents': async () => {
    const { codec, make } = await import('../packages/openai-agents/test/make.ts')
    return { codec: codec as never, make: make as never, splits: 'parts' }
  },
}
const adapter = await adapters[option('adapter', '')]?.()

const sum = (results: readonly SoakResult[], of: (one: SoakResult) => number): number => results.reduce((total, one) => total + of(one), 0)
const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`)

const rows: Record<string, unknown>[] = []
const broken: string[] = []
for (const name of Object.keys(presets) as PresetName[]) {
  if (only !== '' && only !== name) continue
  const results: SoakResult[] = []
  for (let seed = 1; seed <= sessions; seed++)
    results.push(await soakSession({ seed, policy: presets[name], harsh, ...(adapter !== undefined && { adapter }) }))
  const invalid = Object.fromEntries(wireShapes.map((shape) => [shape, sum(results, (one) => one.invalid[shape])]))
  const [asked, answered, without] = [sum(results, (one) => one.asked), sum(results, (one) => one.answered), sum(results, (one) => one.answeredWithout)]
  const looked = sum(results, (one) => one.answeredWithTool)
  const thrash = results.filter((one) => one.compactions > one.allowed).length
  const twice = results.filter((one) => one.shown >= 2).length
  const row = {
    preset: name,
    sessions,
    calls: sum(results, (one) => one.calls),
    'windows (mean)': (sum(results, (one) => one.times) / sessions).toFixed(1),
    compactions: sum(results, (one) => one.compactions),
    'compacted twice': share(twice, sessions),
    ...invalid,
    overflows: sum(results, (one) => one.overflows),
    unrecovered: sum(results, (one) => one.unrecovered),
    stopped: results.filter((one) => one.stopped !== undefined).length,
    'too many compactions': thrash,
    'recall without': share(without, asked),
    recall: share(answered, asked),
    'with recall_history': share(looked, asked),
  }
  rows.push(row)
  // Less than 3 % of what a model without a window would have known may be lost to one that may look it up.
  const lost = Math.max(0, Math.ceil(without * 0.97) - looked)
  for (const [what, count] of Object.entries({
    ...invalid,
    unrecovered: row.unrecovered,
    stopped: row.stopped,
    'compacted less than twice': twice < leastTwice * sessions ? sessions - twice : 0,
    // What may be lost, and how often a compaction may come, is known where the window is.
    ...(!harsh && { 'answers lost': lost, 'too many compactions': thrash }),
  })) {
    if (Number(count) > 0) broken.push(`${name}: ${what} ${count}`)
  }
}
console.table(rows)
if (broken.length > 0) console.log(broken.join('\n'))
if (gate && broken.length > 0) process.exit(1)
