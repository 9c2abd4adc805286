import { catalogDate, knownModel } from '@precis/models'
import { type Fields, fields } from './foreign-parts.ts'

/** What one model was used for, as the log recorded it. Tokens; `input` is what was neither read from nor written to the prompt cache. */
export interface ModelUsage {
  readonly model: string
  readonly calls: number
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Those of `cacheWrite` that the cache keeps for an hour, not for minutes, at a price of their own; absent where there are none. */
  readonly cacheWriteHour?: number
  readonly output: number
  /** US dollars, as the log says or by list prices of the catalog; absent where neither knows. */
  readonly dollars?: number
}

/** What a log says of the calls that were made. */
export interface RecordedUsage {
  /** The most used first. */
  readonly models: readonly ModelUsage[]
  /** Tokens of the prompts of the last and of the largest call. */
  readonly lastPrompt: number
  readonly largestPrompt: number
  /** Day of the price list; absent where all costs stand in the log. */
  readonly pricesOf?: string
}

interface Call {
  readonly id: string | undefined
  readonly model: string
  readonly provider?: string
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cacheWriteHour?: number
  readonly output: number
  readonly dollars?: number
}

/** Price of writing into the cache for an hour, relative to input. Only Anthropic counts it apart. https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching */
const hourPrice = 2

const amount = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0)
const word = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '?')

/** What one line says of a call; `model` is the last one that a line of Codex named. */
function callOf(value: Fields, model: string): Call | undefined {
  const [message, info, payload] = [fields(value['message']), fields(value['info']), fields(value['payload'])]
  const usage = fields(message['usage'])
  if (typeof usage['input_tokens'] === 'number') {
    const cacheWrite = amount(usage['cache_creation_input_tokens'])
    const cacheWriteHour = Math.min(cacheWrite, amount(fields(usage['cache_creation'])['ephemeral_1h_input_tokens']))
    return {
      id: typeof message['id'] === 'string' ? message['id'] : undefined,
      model: word(message['model']),
      provider: 'anthropic',
      input: amount(usage['input_tokens']),
      cacheRead: amount(usage['cache_read_input_tokens']),
      cacheWrite,
      cacheWriteHour,
      output: amount(usage['output_tokens']),
    }
  }
  if (value['type'] === 'message' && typeof usage['input'] === 'number') {
    const total = fields(usage['cost'])['total']
    const { input, cacheRead, cacheWrite, output } = usage
    return {
      id: undefined,
      model: word(message['model']),
      input: amount(input),
      cacheRead: amount(cacheRead),
      cacheWrite: amount(cacheWrite),
      output: amount(output),
      ...(typeof total === 'number' && { dollars: amount(total) }),
    }
  }
  if (payload['type'] === 'token_count') {
    const last = fields(fields(payload['info'])['last_token_usage'])
    if (typeof last['input_tokens'] !== 'number') return undefined
    const cacheRead = amount(last['cached_input_tokens'])
    const id = JSON.stringify(fields(payload['info'])['total_token_usage'])
    return { id, model, input: Math.max(0, amount(last['input_tokens']) - cacheRead), cacheRead, cacheWrite: 0, output: amount(last['output_tokens']) }
  }
  const tokens = fields(info['role'] === undefined ? value['tokens'] : info['tokens'])
  if (typeof tokens['input'] !== 'number') return undefined
  if (info['role'] === 'assistant') {
    const cache = fields(tokens['cache'])
    return {
      id: undefined,
      model: word(info['modelID']),
      input: amount(tokens['input']),
      cacheRead: amount(cache['read']),
      cacheWrite: amount(cache['write']),
      output: amount(tokens['output']) + amount(tokens['reasoning']),
      ...(amount(info['cost']) > 0 && { dollars: amount(info['cost']) }),
    }
  }
  if (value['type'] !== 'gemini') return undefined
  const cacheRead = amount(tokens['cached'])
  const output = amount(tokens['output']) + amount(tokens['thoughts'])
  return { id: undefined, model: word(value['model']), input: Math.max(0, amount(tokens['input']) - cacheRead), cacheRead, cacheWrite: 0, output }
}

const promptOf = ({ input, cacheRead, cacheWrite }: Call): number => input + cacheRead + cacheWrite

/** US dollars by the catalog's list prices, long prompts by theirs. */
function priced(call: Call): number | undefined {
  const known = knownModel(call.model, call.provider === undefined ? {} : { provider: call.provider })
  const prices = known?.longPrompt !== undefined && promptOf(call) > known.longPrompt.above ? known.longPrompt.prices : known?.prices
  if (prices === undefined) return undefined
  const { input, cacheRead = input, cacheWrite = input, output } = prices
  const hour = call.cacheWriteHour ?? 0
  const written = (call.cacheWrite - hour) * cacheWrite + hour * input * hourPrice
  return (call.input * input + call.cacheRead * cacheRead + written + call.output * output) / 1e6
}

/** Reads the usage of a log, line by line. */
export function createUsage(): { add(value: unknown): void; result(): RecordedUsage | undefined } {
  const models = new Map<string, Call[]>()
  // A reply of several blocks is several lines, each with the usage of the whole reply so far.
  const byId = new Map<string, { readonly calls: Call[]; readonly at: number }>()
  let model = '?'
  let last: Call | undefined
  let largestPrompt = 0
  return {
    add(value) {
      const line = fields(value)
      if (line['type'] === 'turn_context') model = word(fields(line['payload'])['model'])
      const call = callOf(line, model)
      if (call === undefined || call.model === '<synthetic>') return
      if (line['isSidechain'] !== true) {
        last = call
        largestPrompt = Math.max(largestPrompt, promptOf(call))
      }
      const same = call.id === undefined ? undefined : byId.get(call.id)
      if (same !== undefined) same.calls[same.at] = call
      else {
        const calls = models.get(call.model) ?? []
        models.set(call.model, calls)
        if (call.id !== undefined) byId.set(call.id, { calls, at: calls.length })
        calls.push(call)
      }
    },
    result() {
      if (models.size === 0) return undefined
      let listed = false as boolean
      const all = [...models].map(([name, calls]): ModelUsage => {
        const costs = calls.map((call) => call.dollars ?? priced(call))
        listed ||= calls.some(({ dollars }, at) => dollars === undefined && costs[at] !== undefined)
        const total = (field: 'input' | 'cacheRead' | 'cacheWrite' | 'cacheWriteHour' | 'output'): number =>
          calls.reduce((sum, call) => sum + (call[field] ?? 0), 0)
        const dollars = costs.every((cost) => cost !== undefined) ? costs.reduce((sum, cost) => sum + cost, 0) : undefined
        const tokens = { input: total('input'), cacheRead: total('cacheRead'), cacheWrite: total('cacheWrite'), output: total('output') }
        const hour = total('cacheWriteHour')
        return { model: name, calls: calls.length, ...tokens, ...(hour > 0 && { cacheWriteHour: hour }), ...(dollars !== undefined && { dollars }) }
      })
      const pricesOf = listed ? { pricesOf: catalogDate } : {}
      const lastPrompt = last === undefined ? 0 : promptOf(last)
      return { models: all.sort((a, b) => b.calls - a.calls), lastPrompt, largestPrompt, ...pricesOf }
    },
  }
}

export function usageOf(values: readonly unknown[]): RecordedUsage | undefined {
  const usage = createUsage()
  for (const value of values) usage.add(value)
  return usage.result()
}
