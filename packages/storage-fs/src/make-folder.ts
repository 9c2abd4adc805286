import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Somebody else may remove an empty folder between two steps, so many times. */
const tries = 5

/**
 * Makes a folder (0700) and those above it. Where the system takes no folders at all, as under `/proc`, Node's own `recursive` never ends: this one says so.
 *
 * @throws what the file system says.
 */
export async function makeFolder(path: string): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      await mkdir(path, { mode: 0o700 })
      return
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return
      if (code !== 'ENOENT' || left === 0 || dirname(path) === path) throw error
      await makeFolder(dirname(path))
    }
  }
}
