/** One thing that is wrong in a configuration, and where. */
export interface ConfigProblem {
  /** Path of the field, such as `policy.trigger.hard`. */
  readonly path: string
  readonly message: string
  readonly line?: number
}

/** A configuration that cannot be used; `problems` holds every one of them. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[]
  constructor(source: string, problems: readonly ConfigProblem[]) {
    super(problems.map(({ path, message, line }) => `${source}${line === undefined ? '' : `:${line}`}: ${path === '' ? '' : `${path}: `}${message}`).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}
