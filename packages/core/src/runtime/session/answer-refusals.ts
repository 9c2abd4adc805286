import type { CompactionSession, ModelCall, Prepared } from './session-types.ts'

/** Most further requests after a refusal: made two fifths six times, a prompt of two hundred windows fits. */
const mostAttempts = 6

/**
 * Sends a request, and again with a smaller or mended context after each refusal that compaction can answer, up to six times.
 *
 * @param first Sends the request as it was prepared.
 * @param again Sends it with another context.
 * @returns What the accepted request came to.
 * @throws The last refusal, when nothing helps; InsufficientBudgetError, when what must stay is larger than the window that a refusal states.
 */
export async function answerRefusals<M, R>(
  session: Pick<CompactionSession<M>, 'recover'>,
  { history, call }: { readonly history: readonly M[]; readonly call: ModelCall },
  first: () => Promise<R>,
  again: (prepared: Prepared<M>) => Promise<R>,
): Promise<R> {
  let send = first
  for (let refusals = 0; ; refusals++) {
    try {
      return await send()
    } catch (error) {
      // Who gives up is told so by the provider's client.
      const isAnswered = refusals < mostAttempts && call.signal?.aborted !== true
      const smaller = isAnswered ? await session.recover(history, error, call) : undefined
      if (smaller === undefined) throw error
      send = () => again(smaller)
    }
  }
}
