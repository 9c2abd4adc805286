import { InvalidConfigurationError } from '../../errors.ts'
import type { CompactorOptions } from './compactor-types.ts'

/** Every option: a name that is left out here is a type error. */
const names = Object.keys({
  codec: 0,
  limits: 0,
  policy: 0,
  summarizer: 0,
  fullSummarizer: 0,
  directives: 0,
  estimator: 0,
  tools: 0,
  rungs: 0,
  partition: 0,
  embedder: 0,
  storage: 0,
  archive: 0,
  outputs: 0,
  exporters: 0,
  queue: 0,
  trace: 0,
  redact: 0,
  personalData: 0,
  errorPatterns: 0,
  clock: 0,
  effectDeadline: 0,
  maxMemory: 0,
  restAfter: 0,
  retention: 0,
  onReport: 0,
} satisfies Record<keyof CompactorOptions<unknown>, 0>)

/** What others call it. */
const elsewhere: Readonly<Record<string, string>> = {
  contextWindow: 'limits: { contextWindow }',
  maxTokens: 'limits: { contextWindow }',
  preset: 'policy',
  tokenizer: 'estimator',
  store: 'storage',
  onCompaction: 'onReport',
  sessionId: 'session, or call compactor.session(id)',
}

/**
 * Options of adapters and of hosts pass; one that looks like one of ours and is none was meant otherwise. What it holds is not shown: it may be a client with its keys.
 * @throws InvalidConfigurationError with the name to write.
 */
export function checkNames(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue
    const meant = Object.hasOwn(elsewhere, name)
      ? elsewhere[name]
      : names.find((known) => isNear(known.toLowerCase(), name.toLowerCase(), name.length > 5 ? 2 : 1))
    if (meant !== undefined) throw new InvalidConfigurationError('option', name, `there is none of this name: write ${meant}`)
  }
}

/** Whether one text becomes the other by so many letters more, fewer or other ones. */
function isNear(one: string, other: string, mistakes: number): boolean {
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  const [left, right] = [one.slice(same), other.slice(same)]
  if (left === '' || right === '') return left.length + right.length <= mistakes
  return (
    mistakes > 0 &&
    [
      [1, 1],
      [1, 0],
      [0, 1],
    ].some(([a, b]) => isNear(left.slice(a), right.slice(b), mistakes - 1))
  )
}
