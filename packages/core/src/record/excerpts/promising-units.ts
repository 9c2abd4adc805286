import type { Tokens } from '../../history/message.ts'
import type { Name, NameIndex } from '../names/name-index.ts'
import type { Units } from './units.ts'

/** Places of one name that are looked at: the first two and the newest. */
const firstPlaces = 2
const newestPlaces = 4

/** The units in which the worthiest names stand, several times as many as the budget can show; the others are offered where they stand beside a choice. */
export function promisingUnits({ name, names }: NameIndex, units: Units, budget: Tokens): readonly number[] {
  const most = Math.max(400, Math.ceil(budget / 2))
  const worths = Float64Array.from(names, ({ worth }) => worth).sort()
  const least = worths[worths.length - most] ?? 0
  const wanted = new Uint8Array(name.length)
  const mark = (place: number, left: Uint8Array): void => {
    const one = name[place] as number
    const worth = (names[one] as Name).worth
    if (left[one] === 0 || worth <= 0 || worth < least) return
    left[one] = (left[one] as number) - 1
    wanted[place] = 1
  }
  const [first, newest] = [new Uint8Array(names.length).fill(firstPlaces), new Uint8Array(names.length).fill(newestPlaces)]
  for (let place = 0; place < name.length; place++) mark(place, first)
  for (let place = name.length - 1; place >= 0; place--) mark(place, newest)
  const found: number[] = []
  for (let unit = 0; unit < units.start.length; unit++) {
    const beyond = units.names[unit + 1] as number
    for (let place = units.names[unit] as number; place < beyond; place++) {
      if (wanted[place] === 0) continue
      found.push(unit)
      break
    }
  }
  return found
}
