import type { Message } from '@precis/core'

/** Messages that come piece by piece, made whole. */
export interface JoinedReplies {
  /** Takes the next message, with the id of its reply. @returns What is whole now, in order. */
  add(message: Message, reply?: string): readonly Message[]
  /** What is still held back, at the end. */
  rest(): readonly Message[]
}

/**
 * Joins the pieces of a reply into the message that the model gave. Claude Code writes a line for each block, all with the id of the reply; the outputs of its
 * first calls may stand before its last ones.
 */
export function joinReplies(): JoinedReplies {
  let held: readonly Message[] = []
  let open: string | undefined
  const rest = (): readonly Message[] => {
    const whole = held
    held = []
    open = undefined
    return whole
  }
  return {
    add(message, reply) {
      const [begun, ...outputs] = held
      const isMore = message.role === 'assistant' && reply === open
      if (begun !== undefined && (isMore || message.role === 'tool')) {
        held = isMore ? [{ ...begun, parts: [...begun.parts, ...message.parts] }, ...outputs] : [...held, message]
        return []
      }
      const whole = rest()
      if (message.role !== 'assistant' || reply === undefined) return [...whole, message]
      held = [message]
      open = reply
      return whole
    },
    rest,
  }
}
