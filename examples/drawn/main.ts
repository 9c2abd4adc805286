// Agents drawn by chance: twelve doors and wires, windows that we are told right, wrong or not at all, other tokenizers, clocks, many tools, a new process with each
// turn, storages that fail or hang, outputs larger than the window. A strict provider judges each request. `--gate` fails where a conversation ends early, a request is
// invalid, or an answer reaches the caller otherwise than it was given. Options: --from n, --to n (seeds, 1 to 40 by default).
import { parseArgs } from 'node:util'
import { drawnBy } from './draw.ts'
import { type Outcome, runDrawn } from './run.ts'

const { values: given } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: '40' },
    gate: { type: 'boolean', default: false },
  },
})

const had: Outcome[] = []
const faults: string[] = []
for (let seed = Number(given.from); seed <= Number(given.to); seed++) {
  const drawn = drawnBy(seed)
  const outcome = await runDrawn(drawn, seed)
  had.push(outcome)
  const { died, invalid, otherwise, ...figures } = outcome
  const [door, talk] = [drawn.door.name, drawn.talk.name]
  const told = drawn.told ?? 'nothing'
  const line = { ...drawn, door, talk, told, ...figures }
  console.log(`${seed}: ${JSON.stringify(line)}`)
  faults.push(
    ...(died === undefined ? [] : [`${seed}: ${died}`]),
    ...invalid.map((rule) => `${seed}: invalid, ${rule}`),
    ...(otherwise > 0 ? [`${seed}: ${otherwise} answers otherwise`] : []),
  )
}
const sum = (of: (one: Outcome) => number): number =>
  had.reduce((total, one) => total + of(one), 0)
console.log(
  `${had.length} conversations, ${sum(({ requests }) => requests)} requests, ${sum(({ refused }) => refused)} refused for their size, ${sum(({ compactions }) => compactions)} compactions; what was said: ${sum(({ right }) => right)} of ${sum(({ asked }) => asked)} questions right.`,
)
for (const fault of faults) console.log(fault)
process.exit(given.gate && faults.length > 0 ? 1 : 0)
