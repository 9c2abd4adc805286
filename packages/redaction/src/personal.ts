import { type RedactionRule, personalRules as reachedBy } from '@precis/core'

/** What tells people apart: how they are reached (e-mail addresses, telephone numbers), social security numbers, bank accounts (IBAN). */
export const personalRules: readonly RedactionRule[] = [
  ...reachedBy,
  { tag: 'ssn', pattern: /(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g },
  { tag: 'iban', pattern: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g, accept: isIban },
]

/** Numbers of payment cards. */
export const cardRule: RedactionRule = { tag: 'card', pattern: /(?<![\w./-])(?:\d[ -]?){12,18}\d(?![\w/]|[ .-]\d)/g, accept: isCard }

/** By their first digits, their length, and Luhn's check digit; written in fours, or without a space. */
function isCard(value: string): boolean {
  const digits = value.replace(/\D/g, '')
  const issuer =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12})$/
  if (!issuer.test(digits) || /^(\d)\1+$/.test(digits)) return false
  const groups = value.split(/[ -]/).map((group) => group.length)
  if (groups.length > 1 && groups.join() !== '4,4,4,4' && groups.join() !== '4,6,5' && groups.join() !== '4,6,4') return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function isIban(value: string): boolean {
  const compact = value.replaceAll(' ', '')
  if (compact.length < 15 || compact.length > 34) return false
  let rest = 0
  for (const letter of compact.slice(4) + compact.slice(0, 4)) for (const digit of String(Number.parseInt(letter, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}
