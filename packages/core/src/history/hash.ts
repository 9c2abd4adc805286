/** 16 hexadecimal digits of a text: the same for the same text, everywhere. Not cryptographic: it names texts of one owner, such as a stored output. */
export function hashOf(text: string): string {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 15)
  }
  return digitsOf(a, text.length) + digitsOf(b, text.length)
}

/** Eight digits of a lane of 32 bits, mixed with the length of the text. */
function digitsOf(lane: number, length: number): string {
  const mixed = Math.imul(lane ^ length, 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
