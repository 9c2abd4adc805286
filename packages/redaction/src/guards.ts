import type { RecordEntry, StorageDriver, Summarizer } from '@precis/core'
import { aFunction, anObject, checkGiven, type ValueRule } from '@precis/core/adapters'

/**
 * Redaction that takes its time: another library, a model, a service. It gets the texts of one request or one object and gives them back in order, without what must
 * not leave. What it throws is a failure of the door where it stands: nothing passes.
 */
export type RedactionService = (texts: readonly string[], signal: AbortSignal | undefined) => Promise<readonly string[]>

const aService: ValueRule = { ...aFunction('write async (texts, signal) => texts, each without what must not leave'), needed: true }
const aSummarizer: ValueRule = { ...anObject('write modelSummarizer({ model }), say', 'summarize'), needed: true }
const aDriver: ValueRule = { ...anObject('write fsStorage({ root }), say', 'put'), needed: true }

/** A summarizer that sees what a service let pass: never the framework's own messages in front of a prompt. When the service fails there is no request: the record made by code takes the summary's place. @throws InvalidConfigurationError for what is none. */
export function guardedSummarizer(summarizer: Summarizer, service: RedactionService): Summarizer {
  checkGiven('guardedSummarizer', { summarizer, service }, { summarizer: aSummarizer, service: aService })
  const { name, window } = summarizer
  return {
    name,
    ...(window !== undefined && { window }),
    async summarize({ prefix: _unseen, ...request }, signal) {
      const [prompt = '', ...facts] = await checked(service, [request.prompt, ...request.facts.map((fact) => fact.text)], signal)
      return summarizer.summarize({ ...request, prompt, facts: request.facts.map((fact, at): RecordEntry => ({ ...fact, text: facts[at] ?? '' })) }, signal)
    },
  }
}

/**
 * A storage that keeps what a service let pass: of what is JSON every text, and the names of fields that are not ours; the whole of what is not, and of stored outputs.
 * What our own objects are found and compared by stays. When the service fails nothing is written.
 *
 * @throws InvalidConfigurationError for what is no storage, or no service.
 */
export function guardedStorage(driver: StorageDriver, service: RedactionService): StorageDriver {
  checkGiven('guardedStorage', { driver, service }, { driver: aDriver, service: aService })
  return {
    name: `guarded ${driver.name}`,
    remote: driver.remote === true,
    get: (key, options) => driver.get(key, options),
    async put(key, body, options) {
      const value = /^outputs\/.*\.txt$/.test(key) ? undefined : parsed(body)
      if (value === undefined) return driver.put(key, (await checked(service, [body], options?.signal))[0] ?? '', options)
      const known = ownIn.find(([keys]) => keys.test(key))
      const texts = new Set<string>()
      walk(value, known, (text) => {
        texts.add(text)
        return text
      })
      const clean = texts.size === 0 ? [] : await checked(service, [...texts], options?.signal)
      const cleaned = new Map([...texts].map((text, at) => [text, clean[at] ?? '']))
      return driver.put(key, JSON.stringify(walk(value, known, (text) => cleaned.get(text) ?? '')), options)
    },
    delete: (key) => driver.delete(key),
    list: (prefix) => driver.list(prefix),
  }
}

async function checked(service: RedactionService, texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly string[]> {
  const clean = await service(texts, signal)
  if (clean.length !== texts.length)
    throw new Error(`The redaction service gave back ${clean.length} texts for ${texts.length}. Return one for each, in order.`)
  return clean
}

/** Which objects are ours or a framework's, by their keys: places of what stays as it is, and of objects whose fields have names that nobody chose. */
type Own = readonly [keys: RegExp, stays: RegExp, named: RegExp]

const everywhere = /^/
/** A message of a framework, or one of its parts; what a tool was given or gave stands below. */
const part = String.raw`\.\*(?:\.kwargs(?:\.additional_kwargs)?)?(?:\.(?:content|parts|tool_calls)\.\*)?`

const ownIn: readonly Own[] = [
  [
    /\/state(?:\.unreadable-\w+)?\.json$/,
    /^\.(?:checkpoints\.\*\.(?:id|parent|fingerprint|began\.(?:behind|sketch)|edits\.\*\.callId)|(?:anchor|written)\.checkpoint|anchor\.fingerprint|rewound\.\*|forgotten\.said\.\*|continues)$/,
    everywhere,
  ],
  [/\/transcript\/index\.json$/, /^\.\*\.(?:key|fingerprint)$/, everywhere],
  [/\/transcript\/\d/, new RegExp(String.raw`^${part}\.(?:id(?:\.\*)?|(?:toolC|c)allId|(?:tool_)?call_id)$`), new RegExp(`^(?:${part})?$`)],
  [/\/checkpoints\//, /^\.(?:id|parent|fingerprint|began\.(?:behind|sketch)|edits\.\*\.callId)$/, everywhere],
  [/\/events\//, /^\.attributes\.checkpoint$/, everywhere],
  [/^sessions\/[^/]+\/outputs\.json$/, /^\.\*$/, everywhere],
  [/(?:\/(?:lease|used|manifest|gc)[\w-]*|^redaction\/salt)\.json$/, /^\.(?:owner|of|id|key)$/, everywhere],
]

/** A copy in which each text that says something is another one. Of what is nobody's that we know, names are texts like others. */
function walk(value: unknown, own: Own | undefined, replace: (text: string) => string, path = ''): unknown {
  if (typeof value === 'string') return value === '' || own?.[1].test(path) === true ? value : replace(value)
  if (Array.isArray(value)) return value.map((item) => walk(item, own, replace, `${path}.*`))
  if (typeof value !== 'object' || value === null) return value
  const isNamed = own?.[2].test(path) === true
  const copy = new Map<string, unknown>()
  for (const [field, inner] of Object.entries(value)) {
    const name = isNamed || field === '' ? field : replace(field)
    let free = name
    for (let more = 2; copy.has(free); more++) free = `${name} ${more}`
    copy.set(free, walk(inner, own, replace, `${path}.${field}`))
  }
  return Object.fromEntries(copy)
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
