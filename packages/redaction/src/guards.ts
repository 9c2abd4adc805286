import type { RecordEntry, StorageDriver, Summarizer } from '@precis/core'

/**
 * Redaction that takes its time: another library, a model, a service. It gets the texts of one request or one object and gives them back in order, without what must
 * not leave. What it throws is a failure of the door where it stands: nothing passes.
 */
export type RedactionService = (texts: readonly string[], signal: AbortSignal | undefined) => Promise<readonly string[]>

/** A summarizer that sees what a service let pass. When the service fails there is no request: the record made by code takes the summary's place. */
export function guardedSummarizer(summarizer: Summarizer, service: RedactionService): Summarizer {
  return {
    ...summarizer,
    async summarize(request, signal) {
      const [prompt = '', ...facts] = await checked(service, [request.prompt, ...request.facts.map((fact) => fact.text)], signal)
      return summarizer.summarize({ ...request, prompt, facts: request.facts.map((fact, at): RecordEntry => ({ ...fact, text: facts[at] ?? '' })) }, signal)
    },
  }
}

/** A storage that keeps what a service let pass: every text of what is JSON, the whole of what is not. Keys, ids and fingerprints stay. When the service fails nothing is written. */
export function guardedStorage(driver: StorageDriver, service: RedactionService): StorageDriver {
  return {
    ...driver,
    name: `guarded ${driver.name}`,
    async put(key, body, options) {
      const value = parsed(body)
      if (value === undefined) return driver.put(key, (await checked(service, [body], options?.signal))[0] ?? '', options)
      const texts: string[] = []
      walk(value, (text) => {
        texts.push(text)
        return text
      })
      const clean = texts.length === 0 ? [] : await checked(service, texts, options?.signal)
      let at = 0
      return driver.put(key, JSON.stringify(walk(value, () => clean[at++] ?? '')), options)
    },
  }
}

async function checked(service: RedactionService, texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly string[]> {
  const clean = await service(texts, signal)
  if (clean.length !== texts.length)
    throw new Error(`The redaction service gave back ${clean.length} texts for ${texts.length}. Return one for each, in order.`)
  return clean
}

/** What our own objects are found and compared by. */
const marks = /^(?:id|key|parent|fingerprint|callId|checkpoint|firstLines)$/

/** A copy in which each text that says something is another one. */
function walk(value: unknown, replace: (text: string) => string, name = ''): unknown {
  if (typeof value === 'string') return value === '' || marks.test(name) ? value : replace(value)
  if (Array.isArray(value)) return value.map((item) => walk(item, replace, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, walk(inner, replace, field)]))
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
