import type { Tokens } from './history/message.ts'

const brand = (name: string): symbol => Symbol.for(`precis.error.${name}`)

function mark(error: Error, name: string): void {
  error.name = name
  Object.defineProperty(error, brand(name), { value: true })
}

function hasBrand(value: unknown, name: string): boolean {
  return (Object(value) as Record<symbol, unknown>)[brand(name)] === true
}

/** Base of every error that Précis throws. `isInstance` holds across duplicate installs of the package. */
export class CompactionError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    mark(this, 'CompactionError')
  }
  /** Whether this is such an error, also of another copy of the package. */
  static isInstance(value: unknown): value is CompactionError {
    return hasBrand(value, 'CompactionError')
  }
}

/** Which part of a request is too large. `message` names one message by its index in the history. */
export interface Infeasible {
  readonly part: 'system' | 'tools' | 'memory' | 'protected' | 'tail' | 'summary' | 'message'
  readonly tokens: Tokens
  /** What the other parts that must stay and the smallest summary leave for it: less than `tokens`. */
  readonly available: Tokens
  readonly index?: number
}

const remedies: Readonly<Record<Infeasible['part'], string>> = {
  system: 'Shorten the system prompt or choose a model with a larger window.',
  tools: 'Register fewer tools, shorten their schemas, or choose a model with a larger window.',
  memory: 'Shorten the memory added to each request.',
  protected: 'Unprotect or shorten pinned messages: protected, retain.roles, prune.tools.*.pinned.',
  tail: 'Cap the outputs of its tools, set prune.tools.*.keep to "prunable", or attach less at once.',
  summary: 'Choose a model with a larger window.',
  message: 'Shorten the newest request, set retain.newestRequest to quote a larger one, or attach it as a file that a tool can read.',
}

/** Nothing that may be removed is left, and the request still does not fit. `culprit` names the part at fault. */
export class InsufficientBudgetError extends CompactionError {
  readonly culprit: Infeasible
  constructor(culprit: Infeasible) {
    super(
      `The context cannot fit: ${culprit.part}${culprit.index === undefined ? '' : ` (message ${culprit.index})`} needs ` +
        `${culprit.tokens} tokens, ${culprit.available} are available. ${remedies[culprit.part]}`,
    )
    mark(this, 'InsufficientBudgetError')
    this.culprit = culprit
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is InsufficientBudgetError {
    return hasBrand(value, 'InsufficientBudgetError')
  }
}

/** What an error of others says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A value as it was written; an object not, as there may be keys and headers in it. */
function shown(value: unknown): string {
  return Object(value) === value ? typeof value : typeof value === 'string' ? `"${value}"` : `${value}`
}

/** A number or a combination in the limits or the policy cannot be meant. `field` is its path. */
export class InvalidConfigurationError extends CompactionError {
  readonly field: string
  readonly value: unknown
  constructor(field: string, value: unknown, expected: string) {
    super(`Invalid configuration: ${field} is ${shown(value)}; ${expected}.`)
    mark(this, 'InvalidConfigurationError')
    this.field = field
    this.value = value
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is InvalidConfigurationError {
    return hasBrand(value, 'InvalidConfigurationError')
  }
}

/** A conditional write met another version than the one it expected. Read again, decide again, write again. */
export class ConflictError extends CompactionError {
  readonly key: string
  constructor(key: string) {
    super(`Somebody else wrote "${key}" first. Read it again before writing.`)
    mark(this, 'ConflictError')
    this.key = key
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is ConflictError {
    return hasBrand(value, 'ConflictError')
  }
}

/** A storage could not do what it was asked to. The cause is the backend's own error. */
export class StorageError extends CompactionError {
  readonly driver: string
  readonly key: string
  constructor(driver: string, action: string, key: string, cause: unknown) {
    super(`The storage "${driver}" could not ${action} "${key}": ${reasonOf(cause)}`, { cause })
    mark(this, 'StorageError')
    this.driver = driver
    this.key = key
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is StorageError {
    return hasBrand(value, 'StorageError')
  }
}

/** A stored text is not what was written there: it was changed, moved, or its key is not to be had. Nothing is written over it. */
export class TamperedError extends CompactionError {
  readonly key: string
  constructor(key: string, reason: string) {
    super(`What is stored under "${key}" cannot be trusted: ${reason}. Restore it from a backup, provide its key, or delete it.`)
    mark(this, 'TamperedError')
    this.key = key
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is TamperedError {
    return hasBrand(value, 'TamperedError')
  }
}
