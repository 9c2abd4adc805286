import type { recallModel } from '@precis/testkit'
import { otherwiseOf, questionOf, task, vaults } from './vaults.ts'

type Model = ReturnType<typeof recallModel>

/** What the agent is asked, in order: with its answer where it is a question. */
export interface Request {
  readonly content: string
  readonly code?: string
}

const questionsBy = (asking: typeof questionOf): readonly Request[] =>
  vaults.map((vault) => ({ content: asking(vault), code: vault.code }))
const questions = questionsBy(questionOf)
const otherwise = questionsBy(otherwiseOf)
const pages = ['first', 'second']
const workOn = (place: string): string =>
  `Read the ${pages.join(' and the ')} page about the ${place}.`

const amongWork = (asked: readonly Request[]): readonly Request[] => [
  { content: task },
  ...asked.flatMap((question, at) => [
    { content: workOn(vaults[at]?.place ?? '') },
    question,
  ]),
]

/** How the questions come: one after another, or each behind ordinary work, as one of four calls; and there in words that the files do not have. */
export const mixes: readonly (readonly [
  name: string,
  requests: readonly Request[],
])[] = [
  ['Every call is a question', [{ content: task }, ...questions]],
  ['One call in four is a question', amongWork(questions)],
  ['The same in other words', amongWork(otherwise)],
]

/** The same reader, which also does that work: two reads and a word. A request that was compacted away is still known from its quotation. */
export function withWork(reader: Model): Model {
  return (prompt, declared) => {
    const requested = prompt
      .filter(({ role, isResult }) => role === 'user' && !isResult)
      .map(({ text }) => text)
    if (
      [...questions, ...otherwise].some(({ content }) =>
        requested.at(-1)?.includes(content),
      )
    )
      return reader(prompt, declared)
    const all = requested.join('\n')
    const [newest] = vaults
      .map(({ place }) => ({ place, at: all.lastIndexOf(workOn(place)) }))
      .sort((a, b) => b.at - a.at)
    if (newest === undefined || newest.at < 0) return reader(prompt, declared)
    const { place } = newest
    // Its own calls, or what a summary says of them.
    const path = (page: string): string => `pages/${place}-${page}.ts`
    const page = pages.find(
      (one) => !prompt.some(({ text }) => text.includes(path(one))),
    )
    if (page === undefined)
      return { text: `I have read about the ${place}.`, calls: [] }
    const input = JSON.stringify({ path: path(page) })
    return {
      text: '',
      calls: [{ id: `work_${place}_${page}`, tool: 'read_file', input }],
    }
  }
}
