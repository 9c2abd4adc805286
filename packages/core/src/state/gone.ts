import type { Gone } from './checkpoint.ts'

const none: Gone = { after: 0, count: 0 }

/** The number that a message of this place has in the whole conversation. */
export function numberOf(index: number, { after, count }: Gone = none): number {
  return index < after ? index : index + count
}

/** A history with something in the place of each message that is not handed over any more. */
export function withGone<T>(messages: readonly T[], { after, count }: Gone = none, standIn: (number: number) => T): readonly T[] {
  return [...messages.slice(0, after), ...Array.from({ length: count }, (_, at) => standIn(after + at)), ...messages.slice(after)]
}
