import type { Scenario } from '@precis/testkit'
import { fileText } from './scenario.ts'

const places = 'harbor orchard lantern meadow granite willow cobalt juniper saffron canyon falcon ember glacier thicket marble pepper'.split(' ')

/** What stands once, in the middle of one file each. */
export const vaults = places.map((place, at) => ({ place, code: `${['KX', 'RV', 'ZT'][at % 3]}-${10_007 + at * 4_211}`, path: `src/${place}.ts` }))

export const vaultText = (path: string): string => {
  const lines = fileText(path).split('\n')
  const vault = vaults.find((one) => one.path === path)
  if (vault !== undefined) lines.splice(30, 0, `// The vault of ${vault.place} opens with code ${vault.code}.`)
  return lines.join('\n')
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
