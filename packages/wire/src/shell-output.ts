type Fields = Readonly<Record<string, unknown>>

/** What one run of OpenAI's shell printed, and how it ended where that is no success: `[exit code 1]`, `[timed out]`. Said once, where a shorter text of ours says it already. */
export function shellText({ stdout, stderr, outcome }: Fields): string {
  const end = endOf(Object(outcome) as Fields)
  const texts = [stdout, stderr].filter((text) => typeof text === 'string' && text !== '')
  return (texts.some((text) => String(text).endsWith(end)) ? texts : [...texts, end]).join('\n')
}

function endOf({ type, exitCode, exit_code = exitCode }: Fields): string {
  if (type === 'timeout') return '[timed out]'
  return typeof exit_code === 'number' && exit_code !== 0 ? `[exit code ${exit_code}]` : ''
}
