import { shellText } from '../shell-output.ts'
import type { SdkOutput, SdkPart } from './sdk-message.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * OpenAI has tools of its own that the client runs: a shell, a patch, a screen. Each call wants an answer of its own kind, and the SDK's package makes one of
 * `json` alone, in the shape of that kind.
 */
export interface OwnKind {
  /** Whether this is an answer of the kind: a tool of the host's own may be called alike. */
  readonly is: (value: Fields) => boolean
  /** Nothing shorter can take the place of call or answer: they stay, or leave together. */
  readonly isWhole?: true
  /** What an answer says. */
  readonly read: (value: Fields) => string
  /** The same answer with another text. */
  readonly with: (value: Fields, text: string) => Fields
  /** Answers a call that nobody answered: it did not succeed as far as anybody knows. Nobody can make the picture that a computer answers with. */
  readonly answer?: (text: string) => Fields
}

/** The kind of answer that a call wants, by the shape of its arguments: `tools` may have any name. */
export function kindOfCall(input: unknown): OwnKind | undefined {
  const { action, operation, actions, pendingSafetyChecks } = Object(input) as Fields
  const { type, commands, command } = fields(action)
  if (Array.isArray(commands)) return shell
  if (type === 'exec' && Array.isArray(command)) return localShell
  if (/^(?:create|update|delete)_file$/.test(String(fields(operation)['type']))) return applyPatch
  if (Array.isArray(actions) && Array.isArray(pendingSafetyChecks)) return computer
  return Object.keys(Object(input) as Fields)
    .sort()
    .join() === 'arguments,call_id'
    ? toolSearch
    : undefined
}

/** The kind of a result's answer, where it is one of that kind. */
export function kindOfResult(kinds: ReadonlyMap<string, OwnKind>, part: SdkPart): OwnKind | undefined {
  const output = part['output'] as SdkOutput | undefined
  const kind = output?.type === 'json' ? kinds.get(String(part['toolCallId'])) : undefined
  return kind?.is(fields(output?.value)) === true ? kind : undefined
}

const fields = (value: unknown): Fields => Object(value) as Fields
const lines = (...texts: readonly unknown[]): string => texts.filter((text) => typeof text === 'string' && text !== '').join('\n')

const hasOnly = (value: Fields, ...names: readonly string[]): boolean => Object.keys(value).every((name) => names.includes(name))

/** `{ output: [{ stdout, stderr, outcome }] }`: each command keeps how it ended. */
const shell: OwnKind = {
  is: (value) =>
    hasOnly(value, 'output', 'maxOutputLength') &&
    runsOf(value['output']).length > 0 &&
    runsOf(value['output']).every(({ stdout, stderr, outcome }) => typeof stdout === 'string' && typeof stderr === 'string' && 'type' in fields(outcome)),
  read: ({ output }) => lines(...runsOf(output).map(shellText)),
  with: (value, text) => ({ ...value, output: runsOf(value['output']).map((run, at) => ({ ...run, stdout: at === 0 ? text : '', stderr: '' })) }),
  answer: (text) => ({ output: [{ stdout: text, stderr: '', outcome: { type: 'timeout' } }] }),
}

const runsOf = (output: unknown): readonly Fields[] => (Array.isArray(output) ? output.map(fields) : [])

/** `{ output }` */
const localShell: OwnKind = {
  is: (value) => hasOnly(value, 'output') && typeof value['output'] === 'string',
  read: ({ output }) => lines(output),
  with: (value, text) => ({ ...value, output: text }),
  answer: (text) => ({ output: text }),
}

/** `{ status, output }` */
const applyPatch: OwnKind = {
  ...localShell,
  is: (value) => hasOnly(value, 'status', 'output') && (value['status'] === 'completed' || value['status'] === 'failed'),
  read: ({ status, output }) => lines(status === 'failed' ? '[failed]' : '', output),
  answer: (text) => ({ status: 'failed', output: text }),
}

const computer: OwnKind = {
  is: (value) => hasOnly(value, 'output', 'acknowledgedSafetyChecks') && fields(value['output'])['type'] === 'computer_screenshot',
  isWhole: true,
  read: () => '',
  with: (value) => value,
}

const toolSearch: OwnKind = {
  ...computer,
  is: (value) => hasOnly(value, 'tools') && Array.isArray(value['tools']),
  answer: () => ({ tools: [] }),
}
