import { CompactionError } from '@precis/core'

const brand = Symbol.for('precis.error.ConfigError')

/** One thing that is wrong in a configuration, and where. */
export interface ConfigProblem {
  /** Path of the field, such as `policy.trigger.hard`. */
  readonly path: string
  readonly message: string
  readonly line?: number
  /** The environment's variable that says so, where it is not the file. */
  readonly variable?: string
}

/** A configuration that cannot be used; `problems` holds every one of them. */
export class ConfigError extends CompactionError {
  readonly problems: readonly ConfigProblem[]
  constructor(source: string, problems: readonly ConfigProblem[], options?: { readonly cause?: unknown }) {
    super(
      problems
        .map(({ path, message, line, variable }) => {
          const place = variable ?? `${source}${line === undefined ? '' : `:${line}`}`
          return `${place}: ${path === '' ? '' : `${path}: `}${message}`
        })
        .join('\n'),
      options,
    )
    this.name = 'ConfigError'
    Object.defineProperty(this, brand, { value: true })
    this.problems = problems
  }
  /** Whether this is such an error, also of another copy of the package. */
  static override isInstance(value: unknown): value is ConfigError {
    return brand in Object(value)
  }
}
