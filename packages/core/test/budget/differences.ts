import { firstDigits, secondDigits } from '../../src/budget/estimate-weights.ts'

const second = secondDigits.split(' ')
const numbers = [...firstDigits].map((first, at) => Number.parseInt(first + second.join('').charAt(at), 36) - 469)
const begins = second.map((_, row) => second.slice(0, row).join('').length)

/** What each character of a run of up to sixteen adds, by class and context, as the table is described. */
export const differences: readonly (readonly number[])[] = second.map((digits, row) => {
  const own = numbers.slice(begins[row], (begins[row] as number) + digits.length)
  return Array.from({ length: 16 }, (_, at) => own[Math.min(at, own.length - 1)] as number)
})
