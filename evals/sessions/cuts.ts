import { contains, entitiesOf } from '@precis/cli/replay'
import { type Recorded, type RecordedMessage, textOf, tokensOf } from './transcripts.ts'

/** One place at which a session is compacted, and what the agent needed later. */
export interface Cut {
  readonly transcript: Recorded
  readonly prefix: readonly RecordedMessage[]
  readonly tokens: number
  readonly needles: readonly Needle[]
}

interface Needle {
  readonly text: string
  readonly kind: string
}

const short = new Set(['tau-airline', 'webdancer', 'swe-agent', 'openhands'])
const future = 40

/**
 * Cut points of one session with at least three needles, by the definition of the metric.
 * @param spread Most prefix messages that a name may stand in; by default three or a fifth of them.
 */
export function cutsOf(
  transcript: Recorded,
  extract: (text: string) => ReadonlyMap<string, string> = entitiesOf,
  spread = (messages: number): number => Math.max(3, messages * 0.2),
): readonly Cut[] {
  const { messages } = transcript
  const [first, step] = short.has(transcript.set) ? [1_500, 3_000] : [15_000, 30_000]
  const ends = [...(transcript.compactions ?? []).map((compaction) => compaction.beforeMessage), messages.length]
  const cuts: Cut[] = []
  let begin = 0
  for (const end of ends) {
    let tokens = 0
    let next = first
    for (let at = begin; at < end - 6; at++) {
      if (tokens >= next && at > begin && messages[at]?.role !== 'tool') {
        const prefix = messages.slice(begin, at)
        const needles = needlesOf(prefix, messages.slice(at, Math.min(end, at + future)), transcript.system ?? '', extract, spread(prefix.length))
        if (needles.length >= 3) cuts.push({ transcript, prefix, tokens, needles })
        while (next <= tokens) next += step
      }
      tokens += tokensOf(textOf(messages[at] as RecordedMessage))
    }
    begin = end
  }
  return cuts
}

export function needlesOf(
  prefix: readonly RecordedMessage[],
  later: readonly RecordedMessage[],
  system: string,
  extract: (text: string) => ReadonlyMap<string, string>,
  most: number,
): readonly Needle[] {
  const texts = prefix.map(textOf)
  const whole = texts.join('\n')
  const mentioned: string[] = []
  const found = new Map<string, string>()
  for (const message of later) {
    const text = textOf(message)
    if (message.role === 'assistant') {
      for (const [entity, kind] of extract(text)) {
        if (found.has(entity) || !whole.includes(entity) || mentioned.some((before) => contains(before, entity)) || contains(system, entity)) continue
        found.set(entity, kind)
      }
    } else mentioned.push(text)
  }
  return [...found]
    .filter(([entity]) => {
      const spread = texts.filter((text) => contains(text, entity)).length
      return spread > 0 && spread <= most
    })
    .map(([text, kind]) => ({ text, kind }))
}
