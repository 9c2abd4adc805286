import type { SdkOutput, SdkPart } from './read-message.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Providers have tools of their own that the client runs: a shell, a patch, a screen. Each call wants an answer of its own kind, and the SDK's OpenAI package makes
 * one of `json` alone, in the shape of that kind.
 */
interface OwnKind {
  /** The text inside the shape. */
  readonly text: string
  /** The same shape around another text. */
  readonly with: (text: string) => SdkOutput
}

/** The shape of an answer, where its call was one of a provider's own tool. */
export type InKind = (part: SdkPart) => OwnKind | undefined

/** An output that is a shape around one text: `{ output: 'text' }`, or a shell's `{ output: [{ stdout, stderr, outcome }] }`. */
export function textInKind(output: SdkOutput | undefined): OwnKind | undefined {
  if (output?.type !== 'json') return undefined
  const value = Object(output.value) as Fields
  const { output: held, status: _status, maxOutputLength: _most, ...others } = value
  if (Object.keys(others).length > 0) return undefined
  const around = (inner: unknown): SdkOutput => ({ ...output, value: { ...value, output: inner } })
  if (typeof held === 'string') return { text: held, with: around }
  if (!Array.isArray(held) || held.length === 0 || !held.every(isRun)) return undefined
  return {
    text: held.flatMap(({ stdout, stderr }) => [stdout, stderr].filter((text) => text !== '')).join('\n'),
    with: (text) => around([{ ...held.at(-1), stdout: text, stderr: '' }]),
  }
}

/** One that nothing shorter can take the place of: a picture of the screen, or definitions of tools. It stays, or leaves with its call. */
export function isWholeKind(output: SdkOutput | undefined): boolean {
  if (output?.type !== 'json') return false
  const { output: held, tools } = Object(output.value) as Fields
  const isScreen = (Object(held) as Fields)['type'] === 'computer_screenshot'
  return isScreen || (Array.isArray(tools) && tools.length > 0 && tools.every((tool) => typeof (Object(tool) as Fields)['type'] === 'string'))
}

interface Run {
  readonly stdout: string
  readonly stderr: string
  readonly outcome: unknown
}

function isRun(value: unknown): value is Run {
  const { stdout, stderr, outcome } = Object(value) as Fields
  return typeof stdout === 'string' && typeof stderr === 'string' && typeof outcome === 'object' && outcome !== null
}

/** How a call is answered that nobody answered, by the shape of its arguments: it did not succeed as far as anybody knows. undefined: a text will do. */
export function answerInKind(input: unknown): ((text: string) => SdkOutput) | undefined {
  const { action, operation } = Object(input) as Fields
  const { commands, command } = Object(action) as Fields
  const json = (value: unknown): SdkOutput => ({ type: 'json', value })
  if (Array.isArray(commands)) return (text) => json({ output: [{ stdout: text, stderr: '', outcome: { type: 'timeout' } }] })
  if (Array.isArray(command)) return (text) => json({ output: text })
  return typeof (Object(operation) as Fields)['path'] === 'string' ? (text) => json({ status: 'failed', output: text }) : undefined
}
