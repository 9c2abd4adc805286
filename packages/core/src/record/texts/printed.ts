import { isObject, leavesIn, parseJson } from '../../history/json.ts'
import type { ToolResultPart } from '../../history/message.ts'

/** Characters of an output up to which it is parsed. */
const largest = 100_000
/** Names of fields that hold what was printed: it is read without them. */
const prints = /^(?:std(?:out|err)|output|text|content|result|)$/i
const code = /^(?:exit_?code|returncode)$/i
/** Fields in which an answer says whether the call succeeded, and what they say where it did not. */
const verdicts = { isError: true, success: false, ok: false } as const

/** An output as a terminal would show it: of JSON the texts in it, line by line (`error: no such order`), and at its end how it ended. */
export function printed(result: ToolResultPart): Pick<ToolResultPart, 'output' | 'isError'> {
  const { output } = result
  const value = output.length <= largest && /^\s*[[{]/.test(output) ? parseJson(output) : undefined
  if (!isObject(value)) return result
  const lines: string[] = []
  let end = ''
  // That of something else may stand anywhere in what is shown of it.
  let isRun = Object.keys(value).some((name) => code.test(name))
  for (const [name, leaf] of leavesIn(value)) {
    const isPrint = prints.test(name)
    isRun ||= isPrint
    if (typeof leaf === 'string' && name !== 'type') lines.push(isPrint ? leaf : `${name}: ${leaf}`)
    else if (code.test(name) && leaf !== 0) end = `exit code ${leaf}`
  }
  const isError = result.isError === true || Object.entries(verdicts).some(([name, bad]) => (value as Readonly<Record<string, unknown>>)[name] === bad)
  return { output: [...lines, isRun && end].filter(Boolean).join('\n'), isError }
}
