import { createRandom } from '@precis/testkit'

const odd: readonly unknown[] = [null, 0, -1, 1e308, '', 'x', true, [], {}, [null], [[]], { type: 'text' }, { role: 7 }, '\u0000', '\ud800', 'x'.repeat(5_000)]

/** The same text, damaged somewhere: cut, torn, doubled, or with values of other kinds where the program expects its own. */
export function mutated(text: string, seed: number): string {
  const random = createRandom(seed)
  const at = random.between(0, text.length)
  const lines = text.split('\n')
  const line = random.between(0, lines.length - 1)
  const replaced = (next: string): string => [...lines.slice(0, line), next, ...lines.slice(line + 1)].join('\n')
  switch (random.between(0, 8)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(at)
    case 2:
      return `${text.slice(0, at)}${random.pick(['\u0000', '\ufffd', '"', '}', '\n', '[', '\u001b[2J'])}${text.slice(at + random.between(0, 9))}`
    case 3:
      return replaced('')
    case 4:
      return replaced(random.pick(['null', '7', '[]', '{}', '{"messages":[]}', '{"messages":null}', '{"role":"user"}', '"text"']))
    case 5:
      return `${text}\n${lines[line]}`
    default: {
      // Most of all: valid JSON with one value of another kind.
      let value: unknown
      try {
        value = JSON.parse(lines[line] ?? '')
      } catch {
        return text.slice(0, at)
      }
      const places: [object, string][] = []
      const walk = (inner: unknown): void => {
        if (typeof inner !== 'object' || inner === null) return
        for (const [key, child] of Object.entries(inner)) {
          places.push([inner, key])
          walk(child)
        }
      }
      walk(value)
      const place = places.length === 0 ? undefined : random.pick(places)
      if (place === undefined) return text
      if (random.between(0, 3) === 0) delete (place[0] as Record<string, unknown>)[place[1]]
      else (place[0] as Record<string, unknown>)[place[1]] = random.pick(odd)
      return replaced(JSON.stringify(value))
    }
  }
}
