import { classifyError } from '../budget/overflow.ts'
import { providerSide } from '../plan/provider-side.ts'

/** Whether the model is offered to look up what left its context: `on` and answered unseen, `tool` of the agent's own, or `off`. */
export type RecallMode = 'on' | 'tool' | 'off'

/** The same as an option. `asked` is `on`, less what comes back with a message that asks about it: the model has to look it up. */
export type RecallOption = RecallMode | 'asked'

/** What decides whether a model is offered the look-up. */
export interface OfferInput {
  /** Names of the functions that the call itself offers. */
  readonly tools: readonly string[]
  /** Something of this conversation has left the context. */
  readonly compacted: boolean
  /** It was offered in this conversation before: the list of tools stands first in the provider's prompt cache. */
  readonly offered: boolean
  /** The model refused a request for the sake of our tool. */
  readonly refused: boolean
  /** The provider keeps the conversation or the prompt: `isKeptElsewhere`. */
  readonly keptElsewhere: boolean
}

/** Whether our tool stands in the list of one call. Never under a name that the host uses itself. */
export function offersRecall(name: string, { tools, compacted, offered, refused, keptElsewhere }: OfferInput): boolean {
  return tools.length > 0 && !tools.includes(name) && (compacted || offered) && !refused && !keptElsewhere
}

/** Whether the options of a call, by provider, refer to a conversation, a prompt or contents that the provider keeps: our rounds would go astray there. */
export function isKeptElsewhere(providerOptions: unknown): boolean {
  if (providerSide(providerOptions) === 'keeps') return true
  return Object.values(Object(providerOptions) as Readonly<Record<string, unknown>>).some((options) => {
    const { prompt, cachedContent, cached_content } = Object(options) as Readonly<Record<string, unknown>>
    return (cachedContent ?? cached_content) != null || (typeof prompt === 'object' && prompt !== null)
  })
}

/** HTTP statuses with which a request is refused for what it holds. */
const refusals = [400, 404, 405, 415, 422, 501]
const deepest = 5
/** What refusals of tools speak of, and how one ends that gives no reason, such as that of a gateway. */
const mayMeanTool = /tool|function|precis_|grammar|(?:^|bad request|entity|returned error|invalid (?:argument|request|params?))\W*$/i

/**
 * Whether a provider may have refused a request for the sake of a tool: it is asked once more without ours. Limits, invalid histories, rights and failures are
 * none, nor is what says that something else is wrong, such as an image.
 */
export function mayRefuseTool(error: unknown): boolean {
  let at = error
  for (let depth = 0; depth < deepest && typeof at === 'object' && at !== null; depth++) {
    const { status, statusCode, cause, lastError, message, responseBody } = at as { readonly [name: string]: unknown }
    const known = [status, statusCode].find((one) => typeof one === 'number')
    if (known !== undefined)
      return refusals.includes(known as number) && mayMeanTool.test([responseBody, message].join(' ')) && classifyError(error).kind === 'other'
    at = cause ?? lastError
  }
  return false
}
