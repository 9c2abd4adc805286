import { asJson, isObject, jsonText } from '../history/json.ts'
import { cutBetweenSecrets } from './redact-cut.ts'
import { redactValue } from './redact-value.ts'
import type { Redactor } from './redactor.ts'

/** JSON in which every text is redacted by what it says and by the names above it. */
export function redactedJson(value: unknown, redact: Redactor): string {
  try {
    return JSON.stringify(redactValue(acrossLists(value, redact), redact)) ?? 'null'
  } catch {
    return redact(jsonText(value)) // nested too deep to be looked at piece by piece
  }
}

/** Lists at any depth, each with its texts' borders where no secret lies across. */
function acrossLists(value: unknown, redact: Redactor): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return acrossTexts(value, redact).map((item) => acrossLists(item, redact))
  const json = asJson(value)
  if (json) return acrossLists(json(), redact)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, acrossLists(field, redact)]))
}

/** Neighboring texts of one list may share a secret, as pieces of a stream do: their border is moved to where none lies across. */
function acrossTexts(list: readonly unknown[], redact: Redactor): readonly unknown[] {
  const moved = [...list]
  for (let at = 1; at < moved.length; at++) {
    const [before, after] = [textIn(moved[at - 1]), textIn(moved[at])]
    if (before === undefined || after === undefined || before === '' || after === '') continue
    const cut = cutBetweenSecrets(before + after, before.length, redact)
    if (cut === before.length) continue
    moved[at - 1] = withText(moved[at - 1], before.slice(0, cut))
    moved[at] = withText(moved[at], before.slice(cut) + after)
  }
  return moved
}

function textIn(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  const { type, text } = (isObject(part) ? part : {}) as { readonly type?: unknown; readonly text?: unknown }
  return typeof type === 'string' && typeof text === 'string' ? text : undefined
}

function withText(part: unknown, text: string): unknown {
  return typeof part === 'string' ? text : { ...(part as object), text }
}
