/** One line that is written over, and gone when all is done; a terminal only. `unit` says of what. */
export function progress(done: number, all: number, unit = ''): void {
  if (!process.stderr.isTTY || all < 2) return
  const width = 24
  const filled = Math.round((done / all) * width)
  process.stderr.write(done === all ? '\r\u001b[K' : `\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} of ${all}${unit}`)
}

/** The same for bytes, in megabytes. */
export function progressOfBytes(done: number, all: number): void {
  const megabytes = Math.ceil(all / 2 ** 20)
  progress(done === all ? megabytes : Math.min(megabytes - 1, Math.round(done / 2 ** 20)), megabytes, ' MB')
}
