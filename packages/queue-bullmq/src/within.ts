/** Waits for work so many milliseconds. @throws an error with these words when it takes longer; what the work throws. */
export async function within<T>(work: Promise<T>, milliseconds: number, words: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(words)), milliseconds)
  })
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
