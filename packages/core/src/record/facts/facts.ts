import type { TokenEstimator } from '../../budget/estimate.ts'
import { type Message, type Part, partText, type Role, type Tokens } from '../../history/message.ts'
import { finished, type Pieces } from '../../history/pieces.ts'
import { sumOf } from '../../history/sum-of.ts'
import { argumentsOf, readableInput } from '../texts/call-input.ts'
import { carriedList, carriedLists } from '../texts/carried.ts'
import { oneLine } from '../texts/truncate.ts'
import { calledLine, isAct, isNoted } from './acts.ts'
import { changedPath, whatChanged } from './changed-files.ts'
import { keyOfError, outcomesOf, saysOf, shows } from './outcomes.ts'
import { createReruns } from './reruns.ts'
import { openTasks } from './tasks.ts'

/** One thing worth keeping from a span, with the messages that say so. */
export interface RecordEntry {
  readonly kind: 'request' | 'field' | 'file-changed' | 'file-read' | 'command' | 'call' | 'error' | 'failed-attempt' | 'decision' | 'open' | 'passage' | 'name'
  readonly text: string
  readonly sources: readonly number[]
  /** Requests of the same message that stand above it, in one that carries several. Default 0. */
  readonly after?: number
}

/** Of entries that stand below one another. */
export function tokensOf(entries: readonly RecordEntry[], estimator: TokenEstimator): Tokens {
  return sumOf(entries, ({ text }) => estimator.count(text) + 1)
}

/** What `extractFacts` looks for besides what it knows by itself. */
export interface FactOptions {
  /** Names of fields whose values are kept as they are, each with who said it: `limit: 500 (user [2])`. */
  readonly protectedFields?: readonly string[]
}

/**
 * What a span did, without a model: files changed and read (with line ranges), commands with their outcome, failed attempts and error lines in their exact words,
 * tasks that are not finished, and what other tools were called for. Newest first within a kind.
 *
 * @param indices Messages of the span, ascending.
 * @returns At most 60 entries of a kind; failed attempts, calls and protected fields without limit.
 */
export function extractFacts(messages: readonly Message[], indices: readonly number[], options: FactOptions = {}): readonly RecordEntry[] {
  return finished(factsInPieces(messages, indices, options))
}

/** The same in pieces. */
export function* factsInPieces(messages: readonly Message[], indices: readonly number[], options: FactOptions = {}): Pieces<readonly RecordEntry[]> {
  const facts = createFactList()
  const fields = (options.protectedFields ?? []).map((name) => ({ name, pattern: fieldPattern(name) }))
  const span = indices.map((index) => messages[index] as Message)
  const [outcomes, reported] = yield* outcomesOf(messages)
  // Who said a value decides what it is worth: the user's word for it counts, wherever else it stands.
  for (const ranked of [/user|system|developer/, /assistant|tool|summary/]) {
    for (let at = fields.length === 0 ? -1 : span.length - 1; at >= 0; at--) {
      yield
      for (const part of (span[at] as Message).parts) {
        const author = authorOf(span[at] as Message, part)
        if (!ranked.test(author)) continue
        for (const { name, pattern } of fields) {
          for (const [, value] of partText(part).matchAll(pattern))
            facts.add('field', `${name}\u0000${value}`, `${name}: ${value} (${author} [${indices[at]}])`, indices[at] as number)
        }
      }
    }
  }
  const within = new Set(indices)
  // What stands on a list that is still shown is seen there.
  for (const { text, index } of openTasks(messages)) if (within.has(index)) facts.add('open', text, openTask + oneLine(text, 200), index)
  // Of what was done again, what it said and how it failed before is past.
  const [shown, rerun, tried] = [createReruns(), createReruns(), createReruns()]
  for (let index = messages.length - 1; index >= 0; index--) {
    if (index % 8 === 0) yield
    const isRecorded = within.has(index)
    const message = messages[index] as Message
    if (isRecorded)
      for (const kind of Object.keys(carriedLists) as (keyof typeof carriedLists)[])
        for (const line of carriedList(message, carriedLists[kind])) {
          const own = line.split(/\(command: | description: |\) → /)[1] ?? line
          if (!tried.has(own)) facts.add(kind, kind === 'file-changed' ? changedPath(line) : line, line, index)
          // An older record says the same: that is not once more.
          if (own === line) tried.add(line)
        }
    for (const part of message.parts) {
      const outcome = outcomes.get(part)
      const { failed = false, error = '', same = '', run = '', result = '' } = outcome ?? {}
      if (part.type === 'tool-call') {
        if (isRecorded) {
          const { paths, command, isChange, lines } = outcome ?? argumentsOf(part)
          const hasFile = paths.length > 0
          const isCall = outcome?.failed === false && !(hasFile && isChange) && isNoted(part.tool, run, hasFile) && !shows.test(run)
          for (const path of failed || isCall ? [] : paths) {
            if (isChange) facts.add('file-changed', path, () => `${path}: ${part.tool}${whatChanged(part.input, path)}`, index)
            else if (!searches.test(part.tool)) facts.add('file-read', path, `${path}${lines}`, index)
          }
          if (isCall)
            facts.add(
              'call',
              part.tool + part.input,
              () => calledLine(part.tool, command, readableInput(part.input)) + (isAct(part.tool) || says.test(result) ? result : ''),
              index,
            )
          else if (command !== '' && !shown.has(run || command)) facts.add('command', run || command, oneLine(command, 160) + result, index)
          if (error !== '' && !tried.has(same)) {
            const line = `${part.tool}(${oneLine(command === '' ? readableInput(part.input) : `command: ${command}`, 140)}) → ${error}`
            facts.add('failed-attempt', line, line, index)
          }
        }
        if (error !== '' || (same !== '' && !failed)) tried.add(same)
      } else if (part.type === 'tool-result') {
        const { output } = part
        const { failures, isWhole, passed } = saysOf(part)
        const packages = failures.length === 0 ? [] : [...output.matchAll(failedPackage)]
        const isFixed = packages.length > 0 && packages.every(([, name]) => tried.has(allOf(name, run)))
        // What a file says about errors is not an error; what a command prints is, until it is run again, filtered or not, or what failed passes.
        if (isRecorded && (run === '' ? part.isError === true : !rerun.has(run) && !isFixed))
          for (const line of failures) if (!tried.has(named.exec(line)?.[1] ?? keyOfError(line))) facts.add('error', line, line, index)
        if (run === '') continue
        if (!isRecorded) shown.add(run)
        if (isWhole) rerun.add(run)
        if (failures.length > 0 || shows.test(run)) continue
        if (isWhole && !failed) for (const one of reported.get(run) ?? []) tried.add(one)
        for (const name of passed) {
          tried.add(name)
          if (!partly.test(run)) tried.add(allOf(name, run))
        }
      }
    }
  }
  return facts.entries()
}

/** What a call came to, in a number: told of what only looks, too. */
const says = /\d$/
/** A test that failed, or what holds it, by its name. */
const named = /FAIL:?[\t ]+(\S+)/
/** A package of Go whose tests failed, a run of some of them, and all that the tags of a run let in. */
const failedPackage = /^FAIL\t(\S+)/gm
const partly = /\s-(?:run|short|skip)\b/
const allOf = (name = '', run = ''): string => `${name} ${/-tags[= ]\S+/.exec(run)}`

/** Tools that look through files: what they name is mostly a folder, and nothing of it was read. Others of their servers (`mcp__search__read_file`) read. */
const searches = /^(?!.*(?:read|open|view)).*(?:grep|glob|search|find|list|^ls$)/i

/** In front of a task that is not finished. */
const openTask = '[ ] '

interface FactList {
  add(kind: RecordEntry['kind'], key: string, text: string | (() => string), index: number): void
  entries(): readonly RecordEntry[]
}

/** Most entries of one kind; beyond that the passages speak. */
const mostPerKind = 60

function createFactList(): FactList {
  const found = new Map<string, { kind: RecordEntry['kind']; text: string; sources: number[] }>()
  const counts = new Map<RecordEntry['kind'], number>()
  return {
    add(kind, key, text, index) {
      const id = `${kind}\u0000${key}`
      const sources = found.get(id)?.sources
      // How often something was called is told.
      if (sources) {
        sources.push(index)
        return
      }
      const count = counts.get(kind) ?? 0
      // What failed must not be tried again, nor what was done be done twice: none of it is too much.
      if (text === '' || (count >= mostPerKind && !/failed|field|call/.test(kind))) return
      counts.set(kind, count + 1)
      // One line each, whatever a tool, a file or an error is called.
      found.set(id, { kind, text: oneLine(typeof text === 'string' ? text : text(), Infinity), sources: [index] })
    },
    entries: () => [...found.values()],
  }
}

/** Who wrote a part: tools, whatever message carries what they answered. */
export function authorOf({ role, summary }: Message, { type }: Part): Role | 'summary' {
  if (type === 'tool-result') return 'tool'
  return type === 'tool-call' ? 'assistant' : summary ? 'summary' : role
}

/** `name: value`, `name = value`, `"name": "value"`; the value ends with its line, its quotes or a comma. */
function fieldPattern(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`\\b${escaped}["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?((?:[^"'\\n,;{}]|,(?=\\d)){1,300})`, 'gi')
}
