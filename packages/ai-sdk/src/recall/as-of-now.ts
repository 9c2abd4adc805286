/**
 * Does later work as if it were done now: what a host follows from call to call (a span, `AsyncLocalStorage`) is that of this call, whoever reads the stream
 * meanwhile. One piece of work after another. Of the platform nothing is needed: what goes on behind an `await` is where it was.
 */
export function asOfNow(): <T>(work: () => Promise<T>) => Promise<T> {
  let hand: (work: () => void) => void = () => {}
  const waits = async (): Promise<never> => {
    for (;;) {
      const work = await new Promise<() => void>((resolve) => {
        hand = resolve
      })
      work()
    }
  }
  void waits()
  return (work) => new Promise((resolve, reject) => hand(() => work().then(resolve, reject)))
}
