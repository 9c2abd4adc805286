import { InvalidConfigurationError } from '../../errors.ts'
import { nearest } from '../../policy/nearest.ts'
import { balanced } from '../../policy/presets/balanced.ts'
import type { CompactorOptions } from './compactor-types.ts'

/** Every option, with what its value has and how it is written: a name that is left out here is a type error. */
const values = {
  codec: '',
  limits: '',
  policy: '',
  summarizer: 'summarize|modelSummarizer({ model })',
  fullSummarizer: 'summarize|modelSummarizer({ model })',
  directives: 'call|() => []',
  estimator: '',
  tools: '',
  rungs: 'shorten|[{ name, shorten }]',
  partition: 'keeps|[{ name, keeps }]',
  embedder: 'embed|lexicalEmbedder()',
  storage: 'put|memoryStorage() or fsStorage({ root })',
  archive: 'saveTranscript|createArchive(storage)',
  outputs: 'save|createToolOutputStore(storage)',
  exporters: 'export|[consoleExporter()]',
  queue: 'enqueue|{ name, enqueue }',
  trace: 'call|openTelemetryTrace(tracer)',
  redact: 'call|createRedactor(), createRedactor(rules) or false',
  personalData: '',
  errorPatterns: 'pattern.test|[{ kind, pattern }]',
  clock: 'now|{ now, id }',
  effectDeadline: '',
  maxMemory: '',
  restAfter: '',
  retention: '',
  onReport: 'call|(report) => {}',
} satisfies Record<keyof CompactorOptions<unknown>, '' | `${string}|${string}`>
const names = Object.keys(values)

/** What others call it. */
const elsewhere: Readonly<Record<string, string>> = {
  contextWindow: 'limits: { contextWindow }',
  maxTokens: 'limits: { contextWindow }',
  preset: 'policy: presets.layered',
  tokenizer: 'estimator',
  store: 'storage',
  onCompaction: 'onReport',
  sessionId: 'compactor.session(id)',
}

/**
 * Options of adapters and of hosts pass; one that looks like one of ours and is none was meant otherwise. What it holds is not shown: it may be a client with its keys.
 * @throws InvalidConfigurationError with the name to write.
 */
export function checkNames(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (names.includes(name)) {
      const [trait, write] = values[name as keyof typeof values].split('|') as [string, string?]
      const items: unknown = write?.startsWith('[') ? value : [value]
      if (
        write &&
        (name !== 'redact' || value !== false) &&
        !(Array.isArray(items) && items.every((item) => trait.split('.').reduce((inner, one) => Object(inner)[one], item)))
      )
        throw new InvalidConfigurationError(name, Array.isArray(value) ? [] : typeof value, `write ${write}`)
      continue
    }
    const meant = Object.hasOwn(elsewhere, name) ? elsewhere[name] : Object.hasOwn(balanced, name) ? `policy: { ${name} }` : nearest(names, name)
    if (meant !== undefined) throw new InvalidConfigurationError('option', name, `write ${meant}`, `unknown option "${name}"`)
  }
}
