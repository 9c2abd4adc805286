import { link, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Writes a file that must not be there yet: whole, or not at all. @throws EEXIST */
export async function writeNew(path: string, text: string): Promise<void> {
  await beside(path, text, 0o666, async (next) => {
    try {
      await link(next, path) // unlike a rename, it fails where a file is
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
      await writeFile(path, text, { flag: 'wx' }) // a file system without links
    }
    await rm(next)
  })
}

/** Puts a text in the place of a file, whole or not at all; its mode stays. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await beside(path, text, (await stat(path)).mode, (next) => rename(next, path))
}

/** Writes the text into a file of its own in the same folder, which is gone whatever happens. */
async function beside(path: string, text: string, mode: number, place: (next: string) => Promise<void>): Promise<void> {
  const next = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    const file = await open(next, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await place(next)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}
