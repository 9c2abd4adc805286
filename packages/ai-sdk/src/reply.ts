import { requestedReply, type Tokens } from '@precis/core'

/** What decides how long a reply a client asks for. */
interface Asked {
  readonly maxOutputTokens?: number | undefined
  readonly providerOptions?: unknown
}

/** How long a reply each kind of call asks for. Provider clients put a size into the body by themselves: from a table of models, or with room for thinking. */
export interface ReplySizes {
  /** Before a call: as the client builds its bodies, where it lets us see that; otherwise as the last such call was sent, or as the caller says. */
  of(model: unknown, asked: Asked): Promise<Tokens | undefined>
  /** After a call: the body that was sent. */
  learn(model: unknown, asked: Asked, body: unknown): void
}

/** Kinds of calls kept in mind. */
const mostKinds = 1_000

export function createReplySizes(): ReplySizes {
  const sizes = new Map<string, Tokens | undefined>()
  const keyOf = (model: unknown, { maxOutputTokens, providerOptions }: Asked): string =>
    JSON.stringify([(model as { readonly modelId?: unknown } | undefined)?.modelId ?? model, maxOutputTokens, providerOptions])
  const keep = (key: string, size: Tokens | undefined): void => {
    if (sizes.size >= mostKinds) sizes.clear()
    sizes.set(key, size)
  }
  return {
    async of(model, asked) {
      const key = keyOf(model, asked)
      if (!sizes.has(key)) keep(key, await builtBy(model, asked))
      return sizes.get(key) ?? asked.maxOutputTokens
    },
    learn(model, asked, body) {
      const key = keyOf(model, asked)
      // Texts hold the whole conversation: one of each kind is read.
      if (typeof body === 'string' && sizes.get(key) !== undefined) return
      const size = requestedReply(typeof body === 'string' ? parsed(body) : body)
      if (size !== undefined) keep(key, size)
    },
  }
}

/** What the client of a provider package would send: each builds its body in `getArgs`. Nothing is sent. Not part of any interface, so it may be missing. */
async function builtBy(model: unknown, { maxOutputTokens, providerOptions }: Asked): Promise<Tokens | undefined> {
  const { getArgs } = (model ?? {}) as { getArgs?: unknown }
  if (typeof getArgs !== 'function') return undefined
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]
  try {
    const built: unknown = await getArgs.call(model, { prompt, maxOutputTokens, providerOptions, headers: {}, stream: false, userSuppliedBetas: new Set() })
    return requestedReply((built as { readonly args?: unknown } | undefined)?.args)
  } catch {
    return undefined
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}
