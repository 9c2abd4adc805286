/**
 * Does later work in the context of this call: what a host follows with `AsyncLocalStorage` (a span, say) is the same as now, whoever reads the stream then. One piece of
 * work after another. Needs nothing of the platform, as code behind an `await` always goes on in the context in which it was called.
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
