/** What a stream says before it is known that it goes on: told as it comes, while somebody waits for the rest. */
export interface Telling<T> {
  tell(part: T): void
  /** What is told during some work, as it comes. Ends with the work, however that ends. */
  during(work: Promise<unknown>): AsyncGenerator<T>
}

export function createTelling<T>(): Telling<T> {
  const told: T[] = []
  let wake = (): void => {}
  return {
    tell(part) {
      told.push(part)
      wake()
    },
    async *during(work) {
      let isDone = false
      const end = (): void => {
        isDone = true
        wake()
      }
      work.then(end, end)
      for (;;) {
        for (let part = told.shift(); part !== undefined; part = told.shift()) yield part
        if (isDone) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
