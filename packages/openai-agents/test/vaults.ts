import { tool } from '@openai/agents'
import { createRandom, type Scenario } from '@precis/testkit'
import { z } from 'zod'

const places = 'harbor orchard lantern meadow granite willow cobalt juniper saffron canyon falcon ember glacier thicket marble pepper'.split(' ')

/** What stands once, in the middle of one file each. */
export const vaults = places.map((place, at) => ({ place, code: `${['KX', 'RV', 'ZT'][at % 3]}-${10_007 + at * 4_211}`, path: `src/${place}.ts` }))

export const vaultText = (path: string): string => {
  const random = createRandom([...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0)
  const lines = Array.from(
    { length: 60 },
    () =>
      `export const value${random.between(100, 999)} = load('${random.pick(['alpha', 'beta', 'gamma', 'delta'])}-${random.between(1_000, 9_999)}', { retries: ${random.between(1, 9)} })`,
  )
  const vault = vaults.find((one) => one.path === path)
  if (vault !== undefined) lines.splice(30, 0, `// The vault of ${vault.place} opens with code ${vault.code}.`)
  return [`// ${path}`, ...lines].join('\n')
}

/** In other words than the file has: the model must look it up. */
export const questionOf = ({ place }: { readonly place: string }): string => `What do I type at the ${place}?`
/** In the words of the file: it comes back with the question. */
export const namedQuestionOf = ({ place }: { readonly place: string }): string => `Which code opens the vault of the ${place}?`

/** Reads a file for each vault, then is asked for each. */
export const vaultScenario: Scenario = {
  steps: vaults.map(({ path }) => ({ tool: 'read_file', input: () => ({ path }) })),
  questions: [questionOf, namedQuestionOf].flatMap((asking) =>
    vaults.map((vault) => ({ asks: asking(vault), pattern: new RegExp(`vault of ${vault.place} opens with code (\\w+-\\d+)`) })),
  ),
  final: 'All vaults are read.',
}

export const readFileTool = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) => vaultText(path),
})
