import type { Scenario } from '@precis/testkit'

const places =
  'harbor orchard lantern meadow granite willow cobalt juniper saffron canyon falcon ember glacier thicket marble pepper'.split(
    ' ',
  )

/** What stands once, in the middle of one file each. */
export const vaults = places.map((place, at) => ({
  place,
  code: `${['KX', 'RV', 'ZT'][at % 3]}-${10_007 + at * 4_211}`,
  path: `src/${place}.ts`,
}))

export function fileText(path: string): string {
  const lines = Array.from(
    { length: 60 },
    (_, at) =>
      `export const ${path.slice(4, -3)}${at} = load('${path}', ${at * 37})`,
  )
  const vault = vaults.find((one) => one.path === path)
  if (vault !== undefined)
    lines.splice(
      30,
      0,
      `// The vault of ${vault.place} opens with code ${vault.code}.`,
    )
  return lines.join('\n')
}

export const task = 'Read the file of each vault.'
export const questionOf = ({ place }: { readonly place: string }): string =>
  `Which code opens the vault of the ${place}?`
/** The same in words that the file does not have. */
export const otherwiseOf = ({ place }: { readonly place: string }): string =>
  `What do I type at the ${place}?`

/** Reads a file for each vault, then is asked for each. */
export const vaultScenario: Scenario = {
  steps: vaults.map(({ path }) => ({
    tool: 'read_file',
    input: () => ({ path }),
  })),
  questions: [questionOf, otherwiseOf].flatMap((asking) =>
    vaults.map((vault) => ({
      asks: asking(vault),
      query: questionOf(vault),
      pattern: new RegExp(
        `vault of ${vault.place} opens with code (\\w+-\\d+)`,
      ),
      // That its file was read tells where the answer stood.
      pointer: new RegExp(vault.path),
    })),
  ),
  final: 'All vaults are read.',
}
