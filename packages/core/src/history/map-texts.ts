import type { Message, Part } from './message.ts'

/** Where a part's own words stand: what is said, a call's arguments, what it returned, a file's name, what a compaction shall keep. Each part has one of them at most. */
const words = ['text', 'input', 'output', 'name', 'focus']

/** A part with its words changed; the part itself where `change` gives back what it was given. */
export function mapText<P extends Part>(part: P, change: (text: string) => string): P {
  for (const field of words) {
    const text: unknown = Reflect.get(part, field)
    if (typeof text !== 'string') continue
    const changed = change(text)
    return changed === text ? part : { ...part, [field]: changed }
  }
  return part
}

/** A message with its parts changed; the message itself where none was. */
export function mapParts(message: Message, change: (part: Part) => Part): Message {
  const parts = message.parts.map(change)
  return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts }
}
