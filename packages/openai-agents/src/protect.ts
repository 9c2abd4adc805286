import { InvalidConfigurationError, type MessageCodec } from '@precis/core'
import { type AgentItem, type CodecOptions, createCodec } from '@precis/wire/openai-agents'
import { guarded } from './warnings.ts'

interface Options extends CodecOptions {
  readonly onWarning?: ((warning: string) => void) | undefined
}

/**
 * The codec of one way in. Where the host's own `protect` fails, such as for a call, which has no `content`, that item is not protected, and it is said once.
 * @throws InvalidConfigurationError for a `protect` that is no function.
 */
export function codecFor({ protect, onWarning = toConsole }: Options): MessageCodec<AgentItem> {
  if (protect === undefined) return createCodec()
  if (typeof protect !== 'function')
    throw new InvalidConfigurationError('protect', protect, "write protect: (item) => item.role === 'user', say, which is true for items that stay")
  let isTold = false
  const failed = (why: string): false => {
    if (!isTold) guarded(onWarning)(`protect ${why}: items for which it does are not protected.`)
    isTold = true
    return false
  }
  return createCodec({
    protect(item) {
      try {
        const isProtected: unknown = protect(item)
        if (!(isProtected instanceof Promise)) return Boolean(isProtected)
        isProtected.catch(() => {})
        return failed('returns a promise')
      } catch (error) {
        return failed(`threw ${error instanceof Error ? error.name : 'something'}${item.type === undefined ? '' : ` for an item of the type ${item.type}`}`)
      }
    },
  })
}

function toConsole(warning: string): void {
  globalThis.console?.warn(`[precis] ${warning}`)
}
