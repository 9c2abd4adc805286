import type { SdkOutput, SdkPart } from './sdk-message.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * OpenAI has tools of its own that the client runs: a shell, a patch, a screen. Each call wants an answer of its own kind, and the SDK's package makes one of
 * `json` alone, in the shape of that kind.
 */
export interface OwnKind {
  /** What an answer says. undefined: nothing shorter can take its place, so it stays, or leaves with its call. */
  readonly read: (value: Fields) => string | undefined
  /** The same answer with another text. */
  readonly with: (value: Fields, text: string) => Fields
  /** Answers a call that nobody answered: it did not succeed as far as anybody knows. Nobody can make the picture that a computer answers with. */
  readonly answer?: (text: string) => Fields
}

/** The kind of answer that a call wants, by the shape of its arguments: `tools` may have any name. */
export function kindOfCall(input: unknown): OwnKind | undefined {
  const { action, operation, actions, pendingSafetyChecks, call_id, arguments: _query, ...others } = Object(input) as Fields
  if (Array.isArray(fields(action)['commands'])) return shell
  if (Array.isArray(fields(action)['command'])) return localShell
  if (typeof fields(operation)['path'] === 'string') return applyPatch
  if (Array.isArray(actions) && Array.isArray(pendingSafetyChecks)) return computer
  return call_id !== undefined && Object.keys(others).length === 0 ? toolSearch : undefined
}

/** The kind of a result's answer, where it is one of that kind. */
export function kindOfResult(kinds: ReadonlyMap<string, OwnKind>, part: SdkPart): OwnKind | undefined {
  return (part['output'] as SdkOutput | undefined)?.type === 'json' ? kinds.get(String(part['toolCallId'])) : undefined
}

const fields = (value: unknown): Fields => Object(value) as Fields
const lines = (...texts: readonly unknown[]): string => texts.filter((text) => typeof text === 'string' && text !== '').join('\n')

/** `{ output: [{ stdout, stderr, outcome }] }`: each command keeps how it ended. */
const shell: OwnKind = {
  read: ({ output }) => lines(...runsOf(output).map(({ stdout, stderr, outcome }) => lines(stdout, stderr, endOf(fields(outcome))))),
  with: (value, text) => ({ ...value, output: runsOf(value['output']).map((run, at) => ({ ...run, stdout: at === 0 ? text : '', stderr: '' })) }),
  answer: (text) => ({ output: [{ stdout: text, stderr: '', outcome: { type: 'timeout' } }] }),
}

const runsOf = (output: unknown): readonly Fields[] => (Array.isArray(output) ? output.map(fields) : [])

function endOf({ type, exitCode }: Fields): string {
  if (type === 'timeout') return '[timed out]'
  return exitCode === 0 ? '' : `[exit code ${String(exitCode)}]`
}

/** `{ output }` */
const localShell: OwnKind = {
  read: ({ output }) => lines(output),
  with: (value, text) => ({ ...value, output: text }),
  answer: (text) => ({ output: text }),
}

/** `{ status, output }` */
const applyPatch: OwnKind = {
  ...localShell,
  read: ({ status, output }) => lines(status === 'failed' ? '[failed]' : '', output),
  answer: (text) => ({ status: 'failed', output: text }),
}

const computer: OwnKind = { read: () => undefined, with: (value) => value }

const toolSearch: OwnKind = { ...computer, answer: () => ({ tools: [] }) }
