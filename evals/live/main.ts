// `npm run evals -- live --model openai:gpt-5.2`: twenty long tasks with a real model, four ways. Asks before it spends, goes on where it was stopped.
//   --model=…        strict (no key, no money), openai:<id>, anthropic:<id>, server:<id>; --base-url=…  where else than at its provider, needed for a server
//   --window=32000   tokens that a prompt and its reply may take; the tasks are four times as long
//   --tasks=20       how many; --ways=Précis,nothing  which;  --yes  does not ask
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type LiveModel, liveModel } from './models.ts'
import { type LiveResult, mostSteps, runLive } from './run.ts'
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

/** Requests of a task to the model where each file and question asks once, and those of the user in it. */
const [calls, requests] = [31, 5]

/** What is still to run takes about so many tokens: of prompts, without a cache, and of replies that are as long as they may be. */
function tokensOf(open: readonly { readonly name: WayName }[], { contextWindow, maxOutput }: { readonly contextWindow: number; readonly maxOutput: number }) {
  const prompts = open.map(({ name }) => (name === 'nothing' ? 0.6 * contextWindow * times : contextWindow * 0.8))
  return { input: calls * prompts.reduce((sum, one) => sum + one, 0), output: calls * maxOutput * open.length }
}

async function agreed({ name, prices }: LiveModel, runs: number, { input, output }: ReturnType<typeof tokensOf>): Promise<boolean> {
  if (name === 'strict' || process.argv.includes('--yes')) return true
  const dollars = prices === undefined ? undefined : (input * prices.input + output * prices.output) / 1e6
  const money = dollars === undefined ? 'at a price that is not known here' : `$${dollars.toFixed(2)} at list price, less what is cached`
  const millions = (tokens: number): string => (tokens / 1e6).toFixed(1)
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const circles = `One that goes in circles is ended after ${mostSteps} steps a request: up to ${Math.ceil((requests * mostSteps) / calls)} times that.`
  const question = `${name}, ${runs} runs: about ${millions(input)} million tokens in and at most ${millions(output)} million out where each file is read once, ${money}. ${circles} Go on? [y/N] `
  // Where nobody can answer, nothing is spent.
  const answer = await Promise.race([lines.question(question), new Promise<string>((resolve) => lines.once('close', () => resolve('')))])
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** Those of the ways that this model's provider has. */
async function waysOf(live: LiveModel, task: LiveTask, names: readonly WayName[], limits: Parameters<typeof wayOf>[2]): Promise<readonly WayName[]> {
  const { model, close } = await live.open(task)
  await close()
  return names.filter((name) => wayOf(name, model, limits) !== undefined)
}

/** Results of an earlier run; a line that was cut off while it was written is asked for again. */
function resultsIn(file: URL): LiveResult[] {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n').filter(Boolean)
  const results = lines.flatMap((line, at): readonly LiveResult[] => {
    try {
      return [JSON.parse(line)]
    } catch {
      console.log(`${file.pathname}: line ${at + 1} was cut off, and is measured again.`)
      return []
    }
  })
  if (results.length < lines.length || !text.endsWith('\n')) writeFileSync(file, results.map((one) => `${JSON.stringify(one)}\n`).join(''))
  return results
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
  const done = resultsIn(file)
  const possible = await waysOf(live, tasks[0] as LiveTask, names, limits)
  const open = tasks.flatMap((task) => possible.flatMap((name) => (done.some((one) => one.task === task.id && one.way === name) ? [] : [{ task, name }])))
  if (done.length > 0) console.log(`${done.length} results of an earlier run are kept: ${file.pathname}`)
  if (open.length > 0 && !(await agreed(live, open.length, tokensOf(open, limits)))) return console.log('Nothing was asked.')
  let outage: string | undefined
  for (const { task, name } of open) {
    const { model, close } = await live.open(task)
    const way = wayOf(name, model, limits)
    if (way !== undefined) {
      const { outage: away, ...result } = await runLive(task, name, way, limits.maxOutput)
      // A key that is refused, a quota that is used up, a server that is not there: no doing of this way, and nothing to go on with.
      if (away === true) {
        outage = result.error
        await close()
        break
      }
      done.push(result)
      appendFileSync(file, `${JSON.stringify(result)}\n`)
      console.log(
        `task ${task.id + 1} of ${tasks.length}, ${name}: ${result.finished ? 'finished' : `read ${result.read} of ${task.files.size}`}, ${result.right} of ${result.questions} right${result.error === undefined ? '' : `, ${result.error}`}`,
      )
    }
    await close()
  }
  if (outage !== undefined) {
    process.exitCode = 1
    console.error(`${live.name} does not answer: ${outage}\nWhat was measured is kept: run the same command again, and it goes on here.`)
    if (done.length === 0) return
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
