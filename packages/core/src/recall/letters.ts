/** Characters by which a passage is known again, however it was quoted or cut. */
const compared = 200

export const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '')

/** Whether a text shows a passage, both by their letters. */
export const holdsLetters = (text: string, passage: string): boolean => text.includes(passage.slice(0, compared))
