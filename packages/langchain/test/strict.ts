import { type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { afterEach } from 'vitest'

const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

/** A provider of such a window that says "done", until the test is over. */
export async function start(window: number, more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> {
  const provider = await strictProvider({ window, maxOutput: 500, model: () => ({ text: 'done', calls: [] }), ...more })
  open.push(provider)
  return provider
}
