/** A function of the host's that is told of warnings. Nobody waits for it, and what fails in it disturbs nobody. */
export function guarded(onWarning: ((warning: string) => unknown) | undefined): (warning: string) => void {
  return (warning) => void (async () => onWarning?.(warning))().catch(() => {})
}
