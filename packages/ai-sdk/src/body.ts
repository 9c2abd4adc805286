import { type ProviderSide, providerSide, requestedReply, type Tokens } from '@precis/core'
import { parseJson } from '@precis/core/adapters'

/** What decides what a client puts into a body beside the messages. */
interface Asked {
  readonly maxOutputTokens?: number | undefined
  /** How much the model shall think, in version 7: some clients make room for that in a reply. */
  readonly reasoning?: unknown
  readonly providerOptions?: unknown
}

/** What a body says beside the messages. */
interface Said {
  readonly maxOutput?: Tokens
  readonly provider?: ProviderSide
}

/**
 * What the bodies of each kind of call say. Provider clients put a reply's size into them by themselves (from a table of models, or with room for thinking), and
 * leave out settings that they do not know.
 */
export interface Bodies {
  /** Before a call: as the client builds its bodies, where it lets us see that; otherwise as the last such call was sent, or as the caller says. */
  of(model: unknown, asked: Asked): Promise<Said>
  /** After a call: the body that was sent. */
  learn(model: unknown, asked: Asked, body: unknown): void
  /** Whether this name of a model has stood in a body that was sent for it. */
  isNamed(model: string | undefined): boolean
}

/** Kinds of calls kept in mind. */
const mostKinds = 1_000

export function createBodies(): Bodies {
  const known = new Map<string, Said | undefined>()
  const named = new Set<unknown>()
  const keyOf = (model: unknown, { maxOutputTokens, reasoning, providerOptions }: Asked): string =>
    JSON.stringify([nameOf(model), maxOutputTokens, reasoning, providerOptions])
  const keep = (key: string, found: Said | undefined): void => {
    if (known.size >= mostKinds) known.clear()
    known.set(key, found)
  }
  return {
    async of(model, asked) {
      const key = keyOf(model, asked)
      if (!known.has(key)) keep(key, await builtBy(model, asked))
      const { maxOutput = asked.maxOutputTokens, provider } = known.get(key) ?? { provider: providerSide(asked.providerOptions) }
      return said(maxOutput, provider)
    },
    learn(model, asked, body) {
      const key = keyOf(model, asked)
      // Texts hold the whole conversation: one of each kind is read.
      if (typeof body === 'string' && known.get(key) !== undefined) return
      const sent = typeof body === 'string' ? parseJson(body) : body
      if (typeof sent !== 'object' || sent === null) return
      keep(key, { ...known.get(key), ...saidBy(sent) })
      const { modelId } = Object(model) as { readonly modelId?: unknown }
      if (named.size < mostKinds && modelId === (sent as { readonly model?: unknown }).model) named.add(modelId)
    },
    isNamed: (model) => named.has(model),
  }
}

function nameOf(model: unknown): unknown {
  const { modelId, provider } = Object(model) as { readonly modelId?: unknown; readonly provider?: unknown }
  return modelId === undefined ? model : [provider, modelId]
}

/** Of a body its own fields count, not what the caller notes in them; a gateway's body has the options as they were given. */
function saidBy(body: unknown): Said {
  const { providerOptions } = Object(body) as { readonly providerOptions?: unknown }
  return said(requestedReply(body), providerSide(providerOptions ?? { body }))
}

function said(maxOutput: Tokens | undefined, provider: ProviderSide | undefined): Said {
  return { ...(maxOutput !== undefined && { maxOutput }), ...(provider !== undefined && { provider }) }
}

/** What the client of a provider package would send: each builds its body in `getArgs`. Nothing is sent. Not part of any interface, so it may be missing. */
async function builtBy(model: unknown, asked: Asked): Promise<Said | undefined> {
  const { getArgs } = (model ?? {}) as { getArgs?: unknown }
  if (typeof getArgs !== 'function') return undefined
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]
  try {
    const { maxOutputTokens, reasoning, providerOptions } = asked
    const client = { headers: {}, stream: false, userSuppliedBetas: new Set() }
    const built: unknown = await getArgs.call(model, { prompt, maxOutputTokens, reasoning, providerOptions, ...client })
    const args = (built as { readonly args?: unknown } | undefined)?.args
    return args === undefined ? undefined : saidBy(args)
  } catch {
    return undefined
  }
}
