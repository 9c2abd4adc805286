import type { Tokens } from './history/message.ts'

const brand = (name: string): symbol => Symbol.for(`precis.error.${name}`)

function mark(error: Error, name: string): void {
  error.name = name
  Object.defineProperty(error, brand(name), { value: true })
}

/** Base of every error that Précis throws. `isInstance` holds across duplicate installs of the package. */
export class CompactionError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    mark(this, 'CompactionError')
  }
  /** Whether this is such an error, also of another copy of the package. */
  static isInstance(value: unknown): value is CompactionError {
    return brand('CompactionError') in Object(value)
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

/** What each part is called, and what makes it smaller. */
const remedies: Readonly<Record<Infeasible['part'], string>> = {
  system: 'the system prompt|Shorten it or choose a model with a larger window.',
  tools: 'the list of tools|Register fewer tools, shorten their schemas, or choose a model with a larger window.',
  memory: 'the memory added to each request|Shorten it.',
  protected: 'what is pinned|Unprotect or shorten pinned messages: protected, retain.roles, prune.tools.*.pinned.',
  tail: 'the newest step|Cap the outputs of its tools, set prune.tools.*.keep to "prunable", or attach less at once.',
  summary: 'the summary|Choose a model with a larger window.',
  message: 'the newest request|Shorten it, set retain.newestRequest to { fraction: 0.25 } to quote a part of it, or attach it as a file that a tool can read.',
}

/** Nothing that may be removed is left, and the request still does not fit. `culprit` names the part at fault. */
export class InsufficientBudgetError extends CompactionError {
  readonly culprit: Infeasible
  constructor(culprit: Infeasible) {
    const [name, remedy] = remedies[culprit.part].split('|')
    const index = culprit.index === undefined ? '' : ` (message ${culprit.index})`
    super(`The context cannot fit: ${name}${index} needs ${culprit.tokens} tokens, ${culprit.available} are available. ${remedy}`)
    mark(this, 'InsufficientBudgetError')
    this.culprit = culprit
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is InsufficientBudgetError {
    return brand('InsufficientBudgetError') in Object(value)
  }
}

/** What an error of others says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A value as it was written; an object not, as there may be keys and headers in it. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return Object(value) === value ? typeof value : typeof value === 'string' ? `"${value}"` : `${value}`
}

/** An option cannot be meant: `field` is its path. `found` says what is wrong where that is not the value alone. */
export class InvalidConfigurationError extends CompactionError {
  readonly field: string
  readonly value: unknown
  constructor(field: string, value: unknown, expected: string, found = `${field} is ${shown(value)}`) {
    super(`Invalid configuration: ${found}; ${expected}.`)
    mark(this, 'InvalidConfigurationError')
    this.field = field
    this.value = value
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is InvalidConfigurationError {
    return brand('InvalidConfigurationError') in Object(value)
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
    return brand('ConflictError') in Object(value)
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
    return brand('StorageError') in Object(value)
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
    return brand('TamperedError') in Object(value)
  }
}
