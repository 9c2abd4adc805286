/** 1,234,567. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en')

/** 950, 12.3k, 1.2M. */
export function short(value: number): string {
  if (value < 1_000) return String(Math.round(value))
  const [unit, size] = value < 999_500 ? ['k', 1_000] : ['M', 1_000_000]
  const amount = value / size
  return `${amount >= 99.95 ? Math.round(amount) : amount.toFixed(1).replace(/\.0$/, '')}${unit}`
}

/** $0.004, $1.27, $1,204. */
export function dollars(value: number): string {
  if (value === 0) return '$0'
  if (value < 0.01) return value < 0.0005 ? 'less than $0.001' : `$${value.toFixed(3)}`
  return value < 1_000 ? `$${value.toFixed(2)}` : `$${whole(value)}`
}

/** Shares 0–1 in percent: 0.4 %, 12 %. */
export function percent(share: number): string {
  const value = share * 100
  return `${value >= 0.05 && value < 0.95 ? value.toFixed(1) : Math.round(value)} %`
}

/** `1 file`, `3 files`. */
export const many = (count: number, what: string, plural = `${what}s`): string => `${whole(count)} ${count === 1 ? what : plural}`

/** How long ago: just now, 5 min ago, 3 h ago, 2 days ago. */
export function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1_440)} days ago`
}
