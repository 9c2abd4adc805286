// `npm run evals -- live --model openai:gpt-5.2`: twenty long tasks with a real model, four ways. Asks before it spends, goes on where it was stopped.
//   --model=…        strict (no key, no money), openai:<id>, anthropic:<id>, server:<id> with --base-url=…
//   --window=32000   tokens that a prompt and its reply may take; the tasks are four times as long
//   --tasks=20       how many; --ways=Précis,nothing  which;  --yes  does not ask
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type LiveModel, liveModel } from './models.ts'
import { type LiveResult, runLive } from './run.ts'
import { htmlOf, markdownOf, rowsOf, titles } from './table.ts'
import { type LiveTask, liveTask } from './tasks.ts'
import { type WayName, wayOf, ways } from './ways.ts'

const folder = new URL('../results/live/', import.meta.url)
const option = (name: string): string | undefined => {
  const at = process.argv.findIndex((one) => one === `--${name}` || one.startsWith(`--${name}=`))
  return at < 0 ? undefined : process.argv[at]?.split('=').slice(1).join('=') || process.argv[at + 1]
}
const count = (name: string, fallback: number): number => {
  const value = Number(option(name) ?? fallback)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}=${option(name)}: expected a whole number above 0.`)
  return value
}
/** Tasks are so many times as long as the window. */
const times = 4

/** Tokens of all prompts at most: each file and question asks once, without a cache. */
function mostTokens(tasks: readonly LiveTask[], names: readonly WayName[], window: number): number {
  const [calls, whole] = [31, window * times]
  return tasks.length * names.reduce((sum, name) => sum + (name === 'nothing' ? calls * 0.6 * whole : calls * window * 0.8), 0)
}

async function agreed({ name, prices }: LiveModel, tokens: number): Promise<boolean> {
  if (name === 'strict' || process.argv.includes('--yes')) return true
  const money = prices === undefined ? 'at a price that is not known here' : `$${((tokens * prices.input) / 1e6).toFixed(2)} at list price, less what is cached`
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question(`${name}: at most ${(tokens / 1e6).toFixed(1)} million tokens, ${money}. Go on? [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

async function main(): Promise<void> {
  const [window, taskCount] = [count('window', 32_000), count('tasks', 20)]
  const limits = { contextWindow: window, maxOutput: Math.min(4_000, Math.floor(window / 8)) }
  const spec = option('model')
  if (spec === undefined) throw new Error('--model is missing: write strict, openai:<model>, anthropic:<model> or server:<model>.')
  const baseURL = option('base-url')
  const live = liveModel(spec, { ...limits, window, ...(baseURL !== undefined && { baseURL }) })
  const names = (option('ways')?.split(',') ?? ways) as readonly WayName[]
  for (const name of names) if (!ways.includes(name)) throw new Error(`--ways: "${name}" is none of ${ways.join(', ')}.`)
  const tasks = Array.from({ length: taskCount }, (_, id) => liveTask(id, window * times))
  mkdirSync(folder, { recursive: true })
  const file = new URL(`${spec.replaceAll(/[^\w.-]+/g, '-')}-${window}.jsonl`, folder)
  const done: LiveResult[] = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []
  const open = tasks.flatMap((task) => names.flatMap((name) => (done.some((one) => one.task === task.id && one.way === name) ? [] : [{ task, name }])))
  if (done.length > 0) console.log(`${done.length} results of an earlier run are kept: ${file.pathname}`)
  if (open.length > 0 && !(await agreed(live, mostTokens(tasks, names, window)))) return
  for (const { task, name } of open) {
    const { model, close } = await live.open(task)
    const way = wayOf(name, model, limits)
    if (way !== undefined) {
      const result = await runLive(task, name, way, limits.maxOutput)
      // A key that is refused, a server that is not there: nothing to note, and nothing to go on with.
      if (result.steps === 0 && result.error !== undefined) throw new Error(`${live.name} answers nothing: ${result.error}`)
      done.push(result)
      appendFileSync(file, `${JSON.stringify(result)}\n`)
      console.log(
        `task ${task.id + 1} of ${tasks.length}, ${name}: ${result.finished ? 'finished' : `read ${result.read} of ${task.files.size}`}, ${result.right} of ${result.questions} right${result.error === undefined ? '' : `, ${result.error}`}`,
      )
    }
    await close()
  }
  const rows = rowsOf(done, live.prices)
  const title = `${live.name}, window ${window.toLocaleString('en')}, tasks of ${(window * times).toLocaleString('en')} tokens`
  console.log(`\n${markdownOf(title, rows)}`)
  const page = new URL(file.href.replace(/jsonl$/, 'html'))
  writeFileSync(page, htmlOf(title, rows))
  writeFileSync(new URL(file.href.replace(/l$/, '')), JSON.stringify([titles, ...rows]))
  console.log(`\nAs a page: ${page.pathname}`)
}

await main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
