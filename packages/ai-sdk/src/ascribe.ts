import { type CompactionSession, classifyError } from '@precis/core'
import { causeOf } from '@precis/core/adapters'
import type { SdkMessage } from '@precis/wire/ai-sdk'

export type Recovers = Pick<CompactionSession<SdkMessage>, 'recover'>

/**
 * A session that learns from a refusal about the model that refused. Behind one name there may be several: a wrapper falls back to another model, whose refusal says
 * nothing about the window of the first.
 *
 * @param isNamed Whether request bodies for a model name hold this very name. Where it is an alias, the name in a body tells nothing.
 */
export function ascribing(session: Recovers, isNamed: (model: string | undefined) => boolean): Recovers {
  return {
    recover(history, thrown, call = {}) {
      const error = causeOf(thrown)
      if (!isNamed(call.model)) return session.recover(history, error, call)
      const { errors, lastError = error } = Object(error) as { readonly errors?: unknown; readonly lastError?: unknown }
      const tried: readonly unknown[] = Array.isArray(errors) ? errors : []
      const own = tried.find((one) => modelOf(one) === call.model && classifyError(one).kind === 'overflow')
      if (own !== undefined) return session.recover(history, own, call)
      const model = modelOf(lastError)
      return session.recover(history, error, model === undefined ? call : { ...call, model })
    },
  }
}

/** The model that a failed request was for, where its provider's client keeps the body. */
function modelOf(error: unknown): string | undefined {
  const { requestBodyValues: body } = Object(error) as { readonly requestBodyValues?: unknown }
  const { model } = Object(body) as { readonly model?: unknown }
  return typeof model === 'string' ? model : undefined
}
