/** Milliseconds for which a file may be somebody else's, and between two looks. A virus scanner or an indexer lets go of it sooner, as a rule. */
const patience = 1_000
const pause = 10

const busy = ['EPERM', 'EACCES', 'EBUSY']

/** Whether Windows says so of a file that somebody has open at the moment. Elsewhere the same words are final. */
const isBusy = (error: unknown): boolean => process.platform === 'win32' && busy.includes((error as NodeJS.ErrnoException).code ?? '')

/** Does something to a file once nobody has it open: on Windows it is refused until then. @throws what it throws, for a second at most. */
export async function onceFree<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + patience; ; ) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
