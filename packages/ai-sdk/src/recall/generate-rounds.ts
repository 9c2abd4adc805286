import { createParagraphs } from '@precis/core/adapters'
import type { Generated, Metered, ProviderMetadata, ProviderModel, ReplyPart } from '../provider-call.ts'
import { readUsage } from '../usage.ts'
import { createLoan } from './lent-signature.ts'
import { isOurs, looksUpOnly, marked, withoutLookUps, wordsOf } from './reply-parts.ts'
import { tryAgain } from './try-again.ts'
import type { Turn } from './turn.ts'
import { sumUsage } from './usage-sum.ts'

export interface Intercepting {
  /** What is done with calls of our tool that are not answered here. */
  readonly noted: (content: readonly ReplyPart[], turn: Turn) => void
  /** The reply is to be JSON: words before a look-up are no part of it. */
  readonly isObject: boolean
  /** How often a request behind a look-up is sent again after a transient failure; as the SDK does by itself when undefined. */
  readonly retries: number | undefined
}

/** All rounds of a call as one reply. */
export async function generate(turn: Turn, model: ProviderModel, { noted, isObject, retries }: Intercepting): Promise<Generated> {
  const { intercepts } = turn
  const said: ReplyPart[] = []
  const inParagraphs = createParagraphs()
  const apart = (part: ReplyPart, round: number): ReplyPart => (part.type === 'text' ? { ...part, text: inParagraphs(part.text ?? '', round) } : part)
  let usage: unknown
  for (let round = 0; ; round++) {
    const result = await turn.send((request) => {
      const send = async () => model.doGenerate(request)
      return round === 0 ? send() : tryAgain(send, { retries, signal: request.abortSignal })
    })
    usage = round === 0 ? result.usage : sumUsage(usage, result.usage)
    const next = await turn.settle(result.content, result)
    if (!intercepts) noted(result.content, turn)
    const lent = intercepts ? result.content.map(createLoan()) : result.content
    const emptied = intercepts && looksUpOnly(lent)
    const told = next === 'again' && isObject ? lent.filter(({ type }) => type !== 'text') : lent
    const shown = emptied ? withoutLookUps(told) : told.filter((part) => !intercepts || !isOurs(part))
    if (round === 0 && next === 'return' && shown.length === result.content.length) return result
    said.push(...shown.map((part) => marked(apart(part, round), round)))
    if (next === 'again') continue
    return { ...result, content: emptied ? wordsOf(said) : said, usage, ...finished(result, { round, emptied }) }
  }
}

/** Metadata and finish of a call of several requests: the bill is the usage, the newest prompt stands here. `emptied`: no call is left that anybody could answer. */
export function finished(
  { usage, providerMetadata, finishReason: reason }: Metered & { readonly finishReason?: unknown },
  { round, emptied }: { readonly round: number; readonly emptied: boolean },
): { readonly providerMetadata?: ProviderMetadata; readonly finishReason?: unknown } {
  const prompt = round === 0 ? undefined : readUsage(usage, providerMetadata)
  return {
    ...(round > 0 && { providerMetadata: { ...providerMetadata, precis: { lookUps: round, ...(prompt !== undefined && { prompt: { ...prompt } }) } } }),
    ...(emptied && { finishReason: typeof reason === 'object' && reason !== null ? { ...reason, unified: 'stop' } : 'stop' }),
  }
}
