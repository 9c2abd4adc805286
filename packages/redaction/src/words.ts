/** What is told apart at the beginning of a word, whatever its case. */
const told = 'abcdefghijklmnopqrstuvwxyz0123456789 !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\u007f'

/** The kind of each character; 0 for what does not print, or is not ASCII. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code < 32) return 0
  const char = String.fromCharCode(code).toLowerCase()
  return 1 + (told.indexOf(char) % 63)
})

/** Bytes are looked at in place of the characters of a string, which take three times as long; so many characters at once. */
const atOnce = 16_384
const encoder = new TextEncoder()
const bytes = new Uint8Array(3 * atOnce + 1)

const allKinds = 64
const mask = allKinds ** 3 - 1

/**
 * Finds the words of many groups in one look at a text, whatever their case: three characters after each other say whether a word may begin there, most say that
 * none does.
 *
 * @param groups Lower case, at least two characters each.
 * @returns Places of each group's words, in order; undefined where a group has none.
 */
export function wordFinder(groups: readonly (readonly string[])[]): (text: string) => readonly (readonly number[] | undefined)[] {
  const words = [...new Set(groups.flat())].map((word) => ({
    codes: Array.from(word, (char) => char.charCodeAt(0)),
    groups: groups.flatMap((group, at) => (group.includes(word) ? [at] : [])),
  }))
  const beginnings: (typeof words)[] = [[]]
  const at = new Uint16Array(mask + 1)
  for (const word of words) {
    const [first = 0, second = 0, third] = word.codes.map((code) => kinds[code] as number)
    // Behind a word of two characters stands anything.
    for (const kind of third === undefined ? Array(allKinds).keys() : [third]) {
      const triple = (first * allKinds + second) * allKinds + kind
      if (at[triple] === 0) at[triple] = beginnings.push([]) - 1
      beginnings[at[triple] as number]?.push(word)
    }
  }
  return (text) => {
    const places = groups.map((): number[] | undefined => undefined)
    const note = (start: number, beginning: number): void => {
      for (const word of beginnings[beginning] as typeof words) {
        if (!standsAt(text, start, word.codes)) continue
        for (const group of word.groups) {
          const own = places[group]
          if (own === undefined) places[group] = [start]
          else own.push(start)
        }
      }
    }
    let last = 0
    for (let from = 0; from <= text.length; from += atOnce) {
      // Behind the end stands a zero, so that a word of two characters may end there.
      const { written } = encoder.encodeInto(from + atOnce > text.length ? `${text.slice(from)}\0` : text.slice(from, from + atOnce), bytes)
      let end = from
      for (let index = 0; index < written; index++) {
        const byte = bytes[index] as number
        if (byte < 128) {
          last = ((last << 6) | (kinds[byte] as number)) & mask
          if (at[last] !== 0 && end >= 2) note(end - 2, at[last] as number)
          end++
          continue
        }
        // What goes on a character of several bytes is no character; one of four bytes is two in a string.
        if ((byte & 0xc0) === 0x80) continue
        last = (last << 6) & mask
        if (at[last] !== 0 && end >= 2) note(end - 2, at[last] as number)
        end += byte < 0xf0 ? 1 : 2
      }
    }
    return places
  }
}

function standsAt(text: string, at: number, codes: readonly number[]): boolean {
  for (let index = 0; index < codes.length; index++) {
    const code = text.charCodeAt(at + index)
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== codes[index]) return false
  }
  return true
}
