import type { Tokens } from '../history/message.ts'

/**
 * Divides room between two parts of a context so that the next token is worth the same in both. What is recalled grows about with the logarithm of the room
 * (docs/evidence.md), so a part's next token is worth its weight ÷ the tokens that it has: rooms are in proportion to the weights, and what one part cannot use is the other's.
 *
 * @param weight What a token of the first part is worth beside one of the second.
 * @param most Most Tokens that the first can use. @param others Most that the second can use.
 * @returns Tokens of the first part.
 */
export function shareOf(room: Tokens, weight: number, most: Tokens, others: Tokens): Tokens {
  return Math.max(0, Math.floor(Math.min(most, Math.max((room * weight) / (weight + 1), room - others))))
}
