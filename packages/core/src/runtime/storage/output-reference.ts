import { digestName } from '../../history/sha256.ts'

/** Id of a stored output: the same text has the same id, and nobody can make another text for it. */
export function referenceOf(output: string): string {
  return `out-${digestName(output)}`
}
