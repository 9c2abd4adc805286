import { createHash } from 'node:crypto'

/** Versions are made of contents: the same text has the same version, in every process. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
