import type { Finding } from '@precis/core'
import type { NearFinder } from './near.ts'

/** Characters of a manifest at most, before and behind its kind. */
const longest = 20_000

const field = /^[ \t]{1,20}["']?[\w.-]{1,100}["']?:[ \t]{1,4}["']?(?<secret>[A-Za-z0-9+/]{4,16000}={0,2})["']?,?[ \t]*\r?$/gm
const block = /^["']?data["']?:[ \t]*\r?\n(?<fields>(?:[ \t]{1,40}[^\n]*(?:\n|$))+)/gm
const inJson = /^[ \t]{0,20}"data":[ \t]{0,4}\{\r?\n(?<fields>[^{}]*)\}/gm

/** All values of a secret of Kubernetes, which are in base64: `data` in a manifest, as YAML or as JSON on lines. */
export const kubernetesFinder: NearFinder = {
  near: 'kind: secret|"kind": "secret"',
  *find(text, places) {
    let done = 0
    for (const place of places) {
      if (place < done || /\w/.test(text[place + text.slice(place, place + 20).search(/secret/i) + 6] ?? '')) continue
      const from = Math.max(done, place - longest, text.lastIndexOf('\n---', place) + 1)
      const stop = text.indexOf('\n---', place)
      done = Math.min(stop < 0 ? text.length : stop, place + longest)
      const manifest = text.slice(from, done)
      for (const pattern of [block, inJson])
        for (const { index, groups, 0: whole } of manifest.matchAll(pattern)) yield* valuesIn(groups?.['fields'] ?? '', from + index, whole)
    }
  },
}

function* valuesIn(fields: string, at: number, whole: string): Generator<Finding> {
  const first = at + whole.indexOf(fields)
  for (const match of fields.matchAll(field)) {
    const secret = match.groups?.['secret'] ?? ''
    if (secret.length % 4 !== 0) continue
    const start = first + match.index + match[0].lastIndexOf(secret)
    yield { start, end: start + secret.length, tag: 'kubernetes-secret' }
  }
}
