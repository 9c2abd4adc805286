import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { registerConfigureHook, setContextVariable } from '@langchain/core/context'

/** A variable of LangChain's context, with a handler that is added to the callbacks of every run. */
const contextVar = 'precis.hearing'

/** Has a handler hear each run that the task at hand begins. Variables that are set in a task are gone behind it. */
export function hearAll(handler: BaseCallbackHandler): void {
  try {
    setContextVariable(contextVar, handler)
    registerConfigureHook({ contextVar })
  } catch {
    // Cloudflare Workers have no `enterWith`.
  }
}
