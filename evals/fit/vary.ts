// Fitted numbers of the library, made changeable in this process: what they are worth on sessions that they were not fitted on can be seen no other way.
// Must be loaded before the library is.
import { registerHooks } from 'node:module'

/** What was fitted: weights of names (bias first), and characters of the lines and stretches that excerpts are made of. */
export interface Fitted {
  readonly weights?: readonly number[]
  readonly widths?: { readonly longestLine: number; readonly longestStretch: number }
}

const key = '__precisFitted'
const slots: Record<string, (fitted: Fitted) => void> = {}
;(globalThis as Record<string, unknown>)[key] = slots

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!/\/core\/src\/record\/(?:names\/name-reuse-weights|excerpts\/units)\.ts$/.test(url)) return loaded
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source as Uint8Array)
    if (url.endsWith('/core/src/record/names/name-reuse-weights.ts')) {
      const own = `${source.replace('export const reuseBias', 'export let reuseBias')}
        const reuseBiasAsShipped = reuseBias
        const reuseWeightsAsShipped = [...reuseWeights]
        globalThis.${key}.names = ({ weights = [reuseBiasAsShipped, ...reuseWeightsAsShipped] }) => { reuseBias = weights[0]; reuseWeights.splice(0, reuseWeights.length, ...weights.slice(1)) }`
      return { ...loaded, source: own }
    }
    const own = `${source.replace(/^const (longestLine|longestStretch) =/gm, 'let $1 =')}
        const asShipped = { longestLine, longestStretch }
        globalThis.${key}.widths = ({ widths = asShipped }) => { ({ longestLine, longestStretch } = widths) }`
    return { ...loaded, source: own }
  },
})

/** From here on the library works with these numbers; with what it is shipped with where one is left out. */
export function vary(fitted: Fitted): void {
  for (const name of ['names', 'widths']) {
    const slot = slots[name]
    if (slot === undefined) throw new Error(`The library's ${name} cannot be varied: its source no longer looks as evals/fit/vary.ts expects.`)
    slot(fitted)
  }
}
