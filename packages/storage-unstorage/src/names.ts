import type { UnstorageDriver } from './driver.ts'

/** Drivers that make each segment the name of a file. */
const inFiles = /^fs(?:-lite)?$/
/** Characters of the longest name of a file. */
const longestName = 255
/** Begins a segment that stands as it is. In the other form a percent sign is never followed by this. */
const asItIs = '%-'

/**
 * How keys are named for a driver. Segments are put between colons; our own colons, where there are any, are written otherwise, and the percent sign with them.
 * A segment that is too long for the name of a file in this form stands as it is there: a word in Cyrillic is half percent signs.
 */
export function namesOf(driver: UnstorageDriver): (key: string) => string {
  const short = inFiles.test(driver.name ?? '')
  return (key) =>
    key
      .split('/')
      .map((segment) => {
        const escaped = segment.replace(/[%:?\\]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
        return short && escaped.length > longestName && !/[:?\\]/.test(segment) ? `${asItIs}${segment}` : escaped
      })
      .join(':')
}

/** The key that a name was made of. Some drivers list with slashes. */
export function keyOf(name: string): string {
  return name
    .split(/[:/]/)
    .map((segment) =>
      segment.startsWith(asItIs)
        ? segment.slice(asItIs.length)
        : segment.replace(/%(25|3A|3F|5C)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    )
    .join('/')
}
