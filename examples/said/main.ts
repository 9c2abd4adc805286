// What people said, changed and ask about, in natural language, through each front door: conversations of two banks are compacted again and again, then the person
// asks for each thing, in the words in which it was said and in others. Each talk goes through one door or two, in turn. `--gate` fails where a request is refused or a
// run dies, where a talk was hardly compacted, or where less than 99 % of what people said is answered right through a door. Options: --bank a|b, --door and --talk by name, --doors all, --seed n, --window tokens, --show (what was answered wrong), --write.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Front } from '../front/front.ts'
import { talks as a } from './a/index.ts'
import { talks as b } from './b/index.ts'
import { doors, opens } from './doors.ts'
import type { Talk } from './format.ts'
import { type Answered, type Run, runTalk, type TalkRun } from './run.ts'
import { doorTable, languageTable, wrongOnes } from './tables.ts'

const banks: Readonly<Record<string, readonly Talk[]>> = { a, b }
const { values: given } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    bank: { type: 'string' },
    door: { type: 'string' },
    doors: { type: 'string' },
    talk: { type: 'string' },
    seed: { type: 'string', default: '1' },
    window: { type: 'string' },
    show: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    gate: { type: 'boolean', default: false },
    // What a process of its own has.
    part: { type: 'string' },
  },
})
const seed = Number(given.seed)
const window = given.window === undefined ? undefined : Number(given.window)

/** Doors that each talk goes through, where no door is named: those with tools take four times as long. */
const doorsEach = (tools: boolean): number => (tools ? 1 : 2)
/** Compactions between the last change and the questions, at least. */
const least = 2

/** The talks of a bank that go through a door. */
function talksThrough(door: Front, talks: readonly Talk[]): readonly Talk[] {
  const isAll = given.doors === 'all' || given.door !== undefined
  return [true, false].flatMap((tools) => {
    const open = doors.filter((one) => opens(one, tools))
    const place = open.indexOf(door)
    const many = doorsEach(tools)
    return talks
      .filter((talk) => talk.tools === tools)
      .filter((_, at) => {
        const behind = place - ((at * many) % open.length)
        const turn = (behind + open.length) % open.length
        return place >= 0 && (isAll || turn < many)
      })
      .filter(({ name }) => given.talk === undefined || name === given.talk)
  })
}

/** One bank through one door: a process of its own, so that what it sends does not depend on the others. */
interface Part {
  readonly bank: string
  readonly door: Front
  readonly talks: readonly Talk[]
}

const parts = Object.entries(banks)
  .filter(([bank]) => given.bank === undefined || bank === given.bank)
  .flatMap(([bank, talks]) =>
    doors
      .filter(({ name }) => given.door === undefined || name === given.door)
      .map((door): Part => ({ bank, door, talks: talksThrough(door, talks) })),
  )
  .filter(({ talks }) => talks.length > 0)

async function inOwnProcess(part: number): Promise<readonly TalkRun[]> {
  const had: TalkRun[] = []
  const args = [...process.argv.slice(2), `--part=${part}`]
  const child = fork(import.meta.filename, args)
  child.on('message', (run: TalkRun) => {
    had.push(run)
    const requests = run.runs.reduce((sum, one) => sum + one.requests, 0)
    const seconds = run.runs.reduce((sum, one) => sum + one.seconds, 0)
    console.error(
      `${run.door}: ${run.talk}, ${requests} requests, ${seconds.toFixed(0)} s of a processor`,
    )
  })
  const [code] = await once(child, 'close')
  if (code !== 0)
    throw new Error(`${parts[part]?.door.name}: exit code ${code}`)
  return had
}

async function allParts(): Promise<readonly TalkRun[]> {
  const had: (readonly TalkRun[])[] = parts.map(() => [])
  // The slowest doors stand last in the list, and begin first.
  const left = [...parts.keys()]
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop())
      had[next] = await inOwnProcess(next)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return had.flat()
}

function faultsOf(had: readonly TalkRun[]): string[] {
  return had.flatMap(({ door, talk, runs }) =>
    runs.flatMap(({ reader, refused, died, compactions }) => {
      const who = `${door}, ${talk}, ${reader}`
      return [
        ...(refused > 0 ? [`${who}: ${refused} refused`] : []),
        ...(died === undefined ? [] : [`${who}: ${died}`]),
        ...(died === undefined && compactions < least
          ? [`${who}: ${compactions} compactions`]
          : []),
      ]
    }),
  )
}

/** Percent of the questions about what people said that are answered right through each door, by each reader with recall; and of what was never changed and of what was, through all. */
const leastRight = { door: 99, kind: 97 }

/** What was answered wrong too often: `tool` is said by no person. */
function lostIn(had: readonly TalkRun[]): string[] {
  const lost = (
    what: string,
    runs: readonly Run[],
    kinds: readonly Answered['kind'][],
    least: number,
  ): string[] => {
    const asked = runs
      .flatMap(({ answered }) => answered)
      .filter(({ kind }) => kinds.includes(kind))
    const right = asked.filter(({ sight }) => sight === 'right').length
    const percent = (100 * right) / asked.length
    return percent < least
      ? [`${what}: ${percent.toFixed(1)} % right, ${least} at least`]
      : []
  }
  return (['everything', 'needed'] as const).flatMap((reader) => {
    const read = (some: readonly TalkRun[]): readonly Run[] =>
      some.flatMap(({ runs }) => runs.filter((run) => run.reader === reader))
    const names = [...new Set(had.map(({ door }) => door))]
    return [
      ...names.flatMap((name) =>
        lost(
          `${name}, ${reader}`,
          read(had.filter(({ door }) => door === name)),
          ['kept', 'changed'],
          leastRight.door,
        ),
      ),
      ...(['kept', 'changed'] as const).flatMap((kind) =>
        lost(`${kind}, ${reader}`, read(had), [kind], leastRight.kind),
      ),
    ]
  })
}

async function judge(): Promise<void> {
  if (parts.length === 0)
    throw new Error('No talk has that name, or goes through that door.')
  const had = await allParts()
  const faults = [...faultsOf(had), ...lostIn(had)]
  const tables = [
    doorTable(had),
    '',
    '**By language.**',
    '',
    languageTable(had),
  ].join('\n')
  console.log(tables)
  if (given.show) for (const wrong of wrongOnes(had)) console.log(wrong)
  const isWhole =
    [given.bank, given.door, given.doors, given.talk, given.window].every(
      (option) => option === undefined,
    ) && seed === 1
  const page = new URL('../../docs/evidence.md', import.meta.url)
  const text = await readFile(page, 'utf8')
  const between = /(<!-- said -->\n)([\s\S]*?)(<!-- \/said -->)/
  const bare = (some: string): string => some.replace(/[ \n-]+/g, '')
  if (given.write)
    await writeFile(
      page,
      text.replace(
        between,
        (_, start: string, _old: string, end: string) =>
          `${start}\n${tables}\n\n${end}`,
      ),
    )
  else if (isWhole && bare(between.exec(text)?.[2] ?? '') !== bare(tables))
    faults.push(
      'docs/evidence.md shows other figures: node scripts/run.mjs bench:said --write',
    )
  for (const fault of faults) console.log(fault)
  process.exitCode = given.gate && faults.length > 0 ? 1 : 0
}

const own = given.part === undefined ? undefined : parts[Number(given.part)]
if (own === undefined) await judge()
else {
  for (const talk of own.talks) {
    const run = await runTalk(own.door, talk, seed, window)
    await new Promise((sent) => process.send?.(run, sent))
  }
  process.exit()
}
