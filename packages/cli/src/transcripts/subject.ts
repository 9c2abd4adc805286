import { createRedactor } from '@precis/redaction'
import { plain } from '../look/plain.ts'

const redact = createRedactor()

const commands = ['command', 'cmd', 'script']
const files = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path', 'file', 'filename', 'target_file', 'relative_path', 'uri', 'url']
const others = ['pattern', 'query', 'description', 'skill', 'name', 'id']

/** What a call was about, for a person: the file, the command without its options, what was searched for, secrets replaced; '' where its arguments do not say. */
export function subjectOf(input: string): string {
  // Before it is cut: half a secret is not recognized.
  return redact(plain(fromArguments(input))).slice(0, 200)
}

function fromArguments(input: string): string {
  let value: unknown
  try {
    value = JSON.parse(input)
  } catch {
    return /^\*\*\* (?:Update|Add|Delete) File: (.+)$/m.exec(input)?.[1] ?? ''
  }
  if (typeof value === 'string') return fromArguments(JSON.stringify({ command: value }))
  const given = Object(value) as Readonly<Record<string, unknown>>
  for (const name of commands) {
    const one = given[name]
    const text = Array.isArray(one) ? unwrapped(one.map(String)) : typeof one === 'string' ? one : ''
    if (text !== '') return commandOf(text)
  }
  for (const name of [...files, ...others]) if (typeof given[name] === 'string' && given[name] !== '') return given[name]
  return ''
}

/** `["bash", "-lc", "npm test"]` runs `npm test`. */
function unwrapped(words: readonly string[]): string {
  return /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '') ? words.slice(2).join(' ') : words.join(' ')
}

/** Steps that only prepare: where, with what, for how long. */
const preparing = /^(?:cd|export|set|source|pushd|\.)(?:\s|$)/
const before = /^(?:\w+=(?:"[^"]*"|'[^']*'|\S*)\s+|(?:sudo|time|nohup|exec|env|command)\s+|timeout\s+\S+\s+)+/
const mostWords = 3

/** The program and its first words: `cd a && FOO=1 npx vitest run --project b | tail` is `npx vitest run`. */
function commandOf(text: string): string {
  const update = /\*\*\* (?:Update|Add|Delete) File: (.+)/.exec(text)?.[1]
  if (update !== undefined) return `apply_patch ${update}`
  const steps = text.split(/&&|\|\||[;\n]/).map((step) => step.trim())
  const step = steps.find((one) => one !== '' && !one.startsWith('#') && !preparing.test(one)) ?? steps[0] ?? ''
  const [program = '', ...rest] = step.replace(before, '').split(/\s+/)
  const end = rest.findIndex((word) => !/^[\w./:@~+%][\w./:@~+%-]*$/.test(word))
  return [program.replace(/^.*\/(?=[^/]+$)/, ''), ...(end < 0 ? rest : rest.slice(0, end))].slice(0, mostWords).join(' ')
}
