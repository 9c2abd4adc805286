import { isRecord } from '../history/json.ts'

/**
 * For adapters: the usage of two requests as one bill, in whatever shape a framework has for it. Numbers are added up, fields of the same name with each other;
 * all else is taken from the later request.
 *
 * @param latest Name of fields that are not added up, as they hold what the provider itself sent.
 */
export function sumCounts(before: unknown, after: unknown, latest?: string): unknown {
  if (typeof before === 'number' || typeof after === 'number') return (typeof before === 'number' ? before : 0) + (typeof after === 'number' ? after : 0)
  if (!isRecord(before) || !isRecord(after)) return after ?? before
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(names.map((name) => [name, name === latest ? after[name] : sumCounts(before[name], after[name], latest)]))
}
