const units: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 }

/** Tokens as people write them: `64000`, `64_000`, `128,000`, `200k`, `1M`, `1.5m`; undefined where it is no whole number of them. */
export function parseTokens(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:_\d+)*(?:\.\d+)?|\d{1,3}(?:,\d{3})+)\s*([km]?)$/i.exec(text.trim()) ?? []
  if (digits === '') return undefined
  const value = Math.round(Number(digits.replaceAll(/[_,]/g, '')) * (units[unit.toLowerCase()] ?? 1) * 1_000) / 1_000
  return Number.isSafeInteger(value) ? value : undefined
}
