import { createRedactor } from '@precis/redaction'

/** Characters of a line that are quoted, and that are looked at for secrets. */
const [longest, looked] = [40, 20_000]

/**
 * The beginning of a line that could not be read, as JSON: without its secrets, and without the text that it was cut off in, which may hold a part of one.
 */
export function quotedLine(line: string): string {
  const whole = line.length > looked ? line.slice(0, looked) : line
  const shown = createRedactor()(whole).replace(/[^\s"\\]{6,}$/, (end) =>
    /\d/.test(end) && /[a-z]/i.test(end) && !/\[[a-z-]+:[0-9a-f]{6}\]/.test(end) ? '…' : end,
  )
  return JSON.stringify(shown.slice(0, longest))
}
