// Twenty long tasks, made from their numbers: read a project, act on what stood at its beginning, answer for it. What is asked stands once, early, and is never hinted at later.
import type { Scenario } from '@precis/testkit'

interface LiveQuestion {
  readonly asks: string
  /** Stands in a right answer. */
  readonly answer: string
}

/** One task: what the user says, what the tools know, and what is asked when it is done. */
export interface LiveTask {
  readonly id: number
  readonly request: string
  /** In the order in which they are to be read. */
  readonly files: ReadonlyMap<string, string>
  /** Opened at the end, with a code of the second file. */
  readonly vault: { readonly name: string; readonly code: string }
  readonly questions: readonly LiveQuestion[]
}

const places = 'harbor orchard lantern meadow granite willow cobalt juniper saffron canyon falcon ember glacier thicket marble pepper'.split(' ')
const people = 'Ines Tomasz Akua Lena Ravi Sofia Malik Hanna Diego Yuki'.split(' ')
const services = 'billing ledger intake routing archive quota search mailer'.split(' ')
/** Where the facts stand, of all files. */
const factFiles = { code: 1, port: 2, signed: 4, error: 5 }

/** Numbers that look drawn, the same for each seed: a linear congruential generator. */
function drawing(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Lines of one file, of one of four kinds, none like another. */
function linesOf(path: string, kind: number, count: number, draw: (below: number) => number): string[] {
  const word = (): string => places[draw(places.length)] as string
  return Array.from({ length: count }, (_, at) => {
    const number = draw(9_000) + 1_000
    if (kind === 0) return `export const ${word()}${at} = load('${path}', ${number}) // ${word()} before ${word()}`
    if (kind === 1) return `2026-11-${10 + (at % 18)}T0${at % 10}:${10 + (at % 49)} ${word()}-${number} request took ${draw(900)} ms, ${draw(40)} rows`
    if (kind === 2) return `${word()}_${at}: { retries: ${draw(9)}, timeout: ${number}, owner: ${word()} }`
    return `The ${word()} hands its ${word()} to the ${word()} once the count passes ${number}, and waits ${draw(90)} seconds.`
  })
}

/** @param tokens - Size of all files together, about. */
export function liveTask(id: number, tokens: number): LiveTask {
  const draw = drawing(id + 1)
  const pick = <T>(from: readonly T[]): T => from[draw(from.length)] as T
  const [place, other] = [places[id % places.length] as string, places[(id + 7) % places.length] as string]
  const order = `WO-${48_000 + id * 137}`
  const code = `${pick(['KX', 'RV', 'ZT'])}-${10_007 + draw(80_000)}`
  const [service, port] = [pick(services), 7_000 + draw(2_000)]
  const [person, change] = [pick(people), `CH-${300 + draw(600)}`]
  const fault = `E${4_000 + draw(999)}`
  const facts: Readonly<Record<number, string>> = {
    [factFiles.code]: `The vault of the ${place} opens with code ${code}.`,
    [factFiles.port]: `The service ${service} listens on port ${port}.`,
    [factFiles.signed]: `Change ${change} was signed off by ${person}.`,
    [factFiles.error]: `The nightly import of the ${other} failed with ${fault}.`,
  }
  const count = 24
  const names = Array.from({ length: count }, (_, at) => `${String(at + 1).padStart(2, '0')}-${pick(places)}.${['ts', 'log', 'yaml', 'md'][at % 4]}`)
  const files = new Map(
    names.map((path, at): [string, string] => {
      // A line takes about 26 tokens.
      const lines = linesOf(path, at % 4, Math.round(tokens / count / 26), draw)
      const fact = facts[at]
      if (fact !== undefined) lines.splice(Math.floor(lines.length / 2), 0, fact)
      return [path, lines.join('\n')]
    }),
  )
  return {
    id,
    request: `This is work order ${order}. Call list_files, then read every file that it names, in its order, with one call of read_file for each. When all are read, open the vault of the ${place} with open_vault: its code stands in one of the files. Then say DONE. I will ask about the files afterwards. Do not quote them while you read.`,
    files,
    vault: { name: place, code },
    questions: [
      { asks: 'Under which work order is this done?', answer: order },
      { asks: `On which port does the service ${service} listen?`, answer: String(port) },
      { asks: `Who signed off change ${change}?`, answer: person },
      { asks: `With which error did the nightly import of the ${other} fail?`, answer: fault },
    ],
  }
}

/** The same task for a scripted reader, whose only memory is the request. */
export function scenarioOf({ files, vault, questions }: LiveTask): Scenario {
  const code = new RegExp(`vault of the ${vault.name} opens with code (\\w+-\\d+)`)
  return {
    steps: [
      { tool: 'list_files', input: () => ({}) },
      ...[...files.keys()].map((path) => ({ tool: 'read_file', input: () => ({ path }) })),
      { tool: 'open_vault', input: (recall) => ({ name: vault.name, code: recall(code) ?? 'unknown' }), needs: `code of the vault of the ${vault.name}` },
    ],
    questions: questions.map(({ asks }, at) => ({ asks, pattern: patterns[at] as RegExp })),
    final: 'DONE',
  }
}

/** Where the answers stand, in the order of the questions. */
const patterns = [/work order (WO-\d+)/, /listens on port (\d+)/, /was signed off by (\w+)/, /failed with (E\d+)/]
