import type { ModelLimits } from '@precis/core'
import { type KnownModel, rowOf } from './catalog.ts'
import { homes, hosts, labs, providerNamed, providerOf } from './providers.ts'

/** What tells models apart that share an id. */
export interface KnownModelOptions {
  /** Who serves the model, in the framework's words: `openai.responses`, `google.vertex.chat`, `gateway`, `amazon_bedrock`. Where the id alone does not say. */
  readonly provider?: string
}

/**
 * Published limits of a model. Fits the option `limits` of every adapter as it is: `limits: knownLimits`.
 *
 * @param modelId As the framework writes it: `gpt-5.2`, `openai/gpt-5.2`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, an ARN, `publishers/google/models/gemini-2.5-pro`.
 * @returns Tokens; undefined where the catalog does not have the model. Never a guess from a similar name.
 */
export function knownLimits(modelId: string, options?: KnownModelOptions): ModelLimits | undefined {
  return knownModel(modelId, options)?.limits
}

/**
 * What is published about a model: limits, prices, images, caching, and the day of the catalog.
 * Where a provider has a row of its own for a model, that row is the answer for this provider, whatever others say.
 *
 * @returns undefined where the catalog does not have the model. Without `prices` where the row was found for another provider or region than the one that bills.
 */
export function knownModel(modelId: string, options: KnownModelOptions = {}): KnownModel | undefined {
  if (typeof modelId !== 'string' || modelId.length > longestId) return undefined
  const named = typeof options.provider === 'string' ? (providerOf(options.provider) ?? 'unknown') : undefined
  if (named === 'own') return undefined
  const place = placeOf(modelId)
  if (place !== undefined) return place.id === '' ? undefined : rowAt(place.provider, place.id)
  if (named === 'unknown' && modelId === sharedName) return undefined
  // Nobody knows what an unknown provider serves under the name of open weights; a laboratory's own model has one window.
  if (named === undefined || named === 'unknown') return anywhere(modelId, named === undefined ? homes : labs)
  const own = rowAt(named, modelId)
  // A client of these two is often pointed at a gateway, whose ids begin with the provider.
  return own ?? (gatewayClients.includes(named) && modelId.includes('/') ? anywhere(modelId, homes) : undefined)
}

/** Characters; the longest ids are ARNs. */
const longestId = 512

const gatewayClients: readonly string[] = ['openai', 'anthropic']

/** Ids that name their place themselves. An id of '' stands for a resource that hides its model. */
function placeOf(id: string): { readonly provider: string; readonly id: string } | undefined {
  if (id.startsWith('arn:')) return { provider: 'amazon-bedrock', id: bedrockArn.exec(id)?.[1] ?? '' }
  if (id.startsWith('projects/') || id.startsWith('publishers/')) return { provider: 'google-vertex', id: publishedModel.exec(id)?.[1] ?? '' }
  if (id.startsWith('accounts/fireworks/')) return { provider: 'fireworks', id }
  if (id.startsWith('@cf/')) return { provider: 'cloudflare-workers-ai', id }
  return undefined
}

const bedrockArn = /^arn:aws[\w-]*:bedrock:[^:/]*:[^:/]*:(?:foundation-model|inference-profile)\/([^/]+)$/
const publishedModel = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/[^/]+\/models\/([^/]+)$/

/** An id without a provider: its own prefix says where, or one of `providers` has a model of its own by this name. */
function anywhere(id: string, providers: readonly string[]): KnownModel | undefined {
  const cut = id.search(/[/:]/)
  const prefix = cut > 0 ? providerNamed(id.slice(0, cut)) : undefined
  if (prefix === 'own') return undefined
  const rest = id.slice(cut + 1)
  const prefixed = prefix === undefined ? undefined : rowAt(prefix, rest)
  // A laboratory's name before open weights says who made them, not who serves them.
  if (openWeights.test(id)) return prefixed === undefined || labs.includes(prefixed.provider) ? undefined : prefixed
  if (prefixed !== undefined) return prefixed
  if (prefix !== undefined && labs.includes(prefix) && id[cut] === '/') return atGateways(id)
  for (const provider of providers) {
    const found = rowAt(provider, id)
    if (found !== undefined) return found
  }
  return rowAt('amazon-bedrock', id)
}

/** OpenAI's name for a model of 8,192 tokens, under which others serve Turbo with its 128,000. */
const sharedName = 'gpt-4'

/** Laboratories' names that anybody may serve. */
const openWeights = /(?:^|[/.:])(?:gemma|gpt-oss)/

/** Only what all gateways that list an id say alike: which one it is meant for, nobody knows. */
function atGateways(id: string): KnownModel | undefined {
  const found = ['vercel-ai-gateway', 'openrouter'].flatMap((provider) => rowAt(provider, id) ?? [])
  return new Set(found.map(({ limits }) => JSON.stringify(limits))).size === 1 ? limitsOnly(found[0]) : undefined
}

/** The row of a provider for an id, by that provider's own rules for other spellings of one model. */
function rowAt(provider: string, id: string): KnownModel | undefined {
  return rowOf(provider, id) ?? respelled(provider, id) ?? fromLab(provider, id)
}

function fromLab(provider: string, id: string): KnownModel | undefined {
  if (id === sharedName || !Object.hasOwn(hosts, provider)) return undefined
  for (const lab of hosts[provider] ?? []) {
    const found = rowOf(lab, id) ?? respelled(lab, id)
    if (found !== undefined) return limitsOnly(found)
  }
  return undefined
}

function respelled(provider: string, id: string): KnownModel | undefined {
  switch (provider) {
    case 'openai': {
      const base = tuned.exec(id)?.[1]
      return base === undefined ? rowOf(provider, id.replace(day, '')) : limitsOnly(rowAt(provider, base))
    }
    case 'anthropic': {
      const spelled = id.replaceAll('.', '-').replace(version, (_, date) => (date === undefined ? '' : `-${date}`))
      return rowOf(provider, spelled) ?? rowOf(provider, spelled.replace(/-(?:\d{8}|latest)$/, ''))
    }
    case 'xai':
      return rowOf(provider, id.replace(/-latest$/, ''))
    case 'google':
    case 'google-vertex':
      return rowOf(provider, id.replace(/^models\//, ''))
    case 'amazon-bedrock':
      return limitsOnly(rowOf(provider, id.replace(/^(?:converse|invoke)\//, '').replace(region, '')))
    case 'openrouter':
      return limitsOnly(rowOf(provider, id.replace(route, '')))
    default:
      return undefined
  }
}

/** A fine-tuned model of OpenAI, and which it was before: `ft:gpt-4o-mini-2024-07-18:acme::id`. */
const tuned = /^ft:([^:]+)/
/** A dated snapshot of OpenAI: `-2025-12-11`. */
const day = /-20\d\d-\d\d-\d\d$/
/** A dated version at Vertex: `@20250929`, `@default`. */
const version = /@(?:(\d{8})|default|latest)$/
/** Where Bedrock answers a cross-region profile: the same model, at other prices. */
const region = /^(?:us|us-gov|eu|apac|ap|jp|au|ca|in|sa|me|af|mx|global)\./
/** How OpenRouter picks among the servers of one model. `:free` and `:extended` are servers of their own, with windows of their own. */
const route = /:(?:nitro|floor|online|thinking|exacto)$/

function limitsOnly(model: KnownModel | undefined): KnownModel | undefined {
  if (model === undefined) return undefined
  const { prices: _prices, longPrompt: _longPrompt, ...rest } = model
  return rest
}
