/** Hash state: two 32-bit lanes. Not cryptographic: it names texts of one owner, such as a stored output. */
interface Lanes {
  readonly high: number
  readonly low: number
}

const seed: Lanes = { high: 0x811c9dc5, low: 0x9e3779b9 }

/** 16 hexadecimal digits of a text: the same for the same text, everywhere. */
export function hashOf(text: string): string {
  const { high, low } = hashText(text, seed)
  return `${hex(high)}${hex(low)}`
}

function hashText(text: string, { high, low }: Lanes): Lanes {
  let a = high
  let b = low
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 15)
  }
  return { high: mix(a, text.length), low: mix(b, text.length) }
}

function mix(lane: number, value: number): number {
  const mixed = Math.imul(lane ^ value, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

function hex(lane: number): string {
  return (lane >>> 0).toString(16).padStart(8, '0')
}
