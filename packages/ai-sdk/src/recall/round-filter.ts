import { jsonText, recallTool } from '@precis/core'
import type { StreamPart } from '../provider-call.ts'
import { createLoan } from './lent-signature.ts'
import { isAsked, isOurs, withoutItem } from './reply-parts.ts'

/** Parts that say nothing of what a model does next. */
const silent = new Set(['ping', 'response-metadata'])

/** Something that the agent has to answer begins. */
const callsAgent = (part: StreamPart): boolean => isAsked(part) || (part.type === 'tool-input-start' && part.providerExecuted !== true)
const beginsLookUp = (part: StreamPart): boolean => isOurs(part) || (part.type === 'tool-input-start' && isOurs({ ...part, type: 'tool-call' }))

const isText = ({ type }: StreamPart): boolean => type.startsWith('text-')
const isWord = ({ type }: StreamPart): boolean => /^(?:text|reasoning)-/.test(type)
const isEnd = ({ type }: StreamPart): boolean => type === 'text-end' || type === 'reasoning-end'
const namesUs = ({ type, rawValue }: StreamPart): boolean => type === 'raw' && jsonText(rawValue).includes(recallTool.name)

/** An object or a list begins: the answer, and no words before a look-up. */
const opensJson = /^\s*[[{]/

export interface RoundFilterOptions {
  /** Look-ups are answered here. */
  readonly intercepts: boolean
  /** The reply is to be JSON: words wait until it is known that this round does not only look up, as those of one that does are no part of it. */
  readonly waits: boolean
}

/**
 * Takes look-ups out of one round. The end of a text waits for what comes next, that of a thought for what is none: one item may be several thoughts. Where that
 * is a look-up it waits on, for a call of the agent: with one in the round it is stored as it came, signature and item, and without one its provider's item is
 * not. A raw chunk waits for the part that it came as.
 */
export function createRoundFilter({ intercepts, waits }: RoundFilterOptions) {
  const withheld = new Set<string | undefined>()
  /** Ends, and what came behind words that wait. */
  const held: StreamPart[] = []
  const raws: StreamPart[] = []
  /** Words that wait, by their id, and texts that are JSON. */
  const words = new Map<string | undefined, string>()
  const answers = new Set<string | undefined>()
  let calls = 0
  let answered = false
  const lent = createLoan()
  const isOpen = (): boolean => withheld.size > 0 && !answered
  const taken = (parts: StreamPart[]): readonly StreamPart[] => parts.splice(0).filter((part) => !namesUs(part))
  const looksUp = (part: StreamPart): readonly StreamPart[] => {
    withheld.add(part.toolCallId ?? part.id)
    raws.length = 0
    return []
  }
  const waitsFor = (part: StreamPart): boolean => {
    if (!waits || answered) words.clear()
    else if (isText(part) && !answers.has(part.id)) {
      const said = `${words.get(part.id) ?? ''}${typeof part.delta === 'string' ? part.delta : ''}`
      if (opensJson.test(said)) {
        answers.add(part.id)
        words.delete(part.id)
      } else words.set(part.id, said)
    }
    return words.size > 0
  }
  return {
    take(came: StreamPart): readonly StreamPart[] {
      if (!intercepts || silent.has(came.type)) return [came]
      if (came.type === 'raw') {
        const before = withheld.size > 0 || words.size > 0 ? [] : taken(raws)
        raws.push(came)
        return before
      }
      const part = lent(came)
      if (beginsLookUp(part) || (part.type.startsWith('tool-input-') && withheld.has(part.id))) return looksUp(part)
      if (isAsked(part)) calls++
      answered ||= callsAgent(part)
      const own = [...taken(raws), part]
      if (waitsFor(part)) {
        held.push(...own)
        return []
      }
      const thinksOn = part.type.startsWith('reasoning-') && held.every(({ type }) => type === 'reasoning-end')
      const before = thinksOn || (isOpen() && held.every(isEnd)) ? [] : taken(held)
      if (!isEnd(part)) return [...before, ...own]
      held.push(...own)
      return before
    },
    /** What waited for the end of the round. */
    rest(next: 'again' | 'return'): readonly StreamPart[] {
      const left = next === 'again' && waits ? taken(held).filter((part) => !isText(part) && part.type !== 'raw') : taken(held)
      if (!isOpen()) return [...left, ...taken(raws)]
      const last = left.findLastIndex((part) => !isWord(part))
      return left.map((part, at) => (at > last ? withoutItem(part) : part))
    },
    /** The answer, as JSON, was shown beside a look-up: another round would make two of it. */
    answered: (): boolean => answers.size > 0 && withheld.size > 0,
    /** Look-ups were all that was called. */
    emptied: (): boolean => withheld.size > 0 && calls === 0,
  }
}
