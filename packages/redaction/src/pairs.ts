import type { Finding } from '@precis/core'
import { isKey, isPassword } from './judge.ts'
import { promiseOf, promising, wordsOf } from './names.ts'
import { type NearFinder, stretches } from './near.ts'

const label = '(?:name|key|variable|header|id|field|type)'
const assigned = String.raw`["']?\s{0,4}[:=]\s{0,4}`
const named = `["']?${label}${assigned}`
const name = String.raw`(?<open>["']?)(?<name>[A-Za-z][\w.-]{2,80})\k<open>`
const value = '(?:value|default|val|content|data)'
const secret = String.raw`(?<secret>[^\s"'<>,{}]{4,4000})`
/** What else may stand between the two: `"type": "encrypted",`, `"target": ["production"],`. */
const fields = String.raw`[\s,;]{1,40}(?:["']?[\w-]{1,40}${assigned}(?:"[^"\n]{0,100}"|'[^'\n]{0,100}'|[\w.-]{1,30}|\[[^[\]{}]{0,200}\])[\s,;]{1,40}){0,6}?`
/** The same in Terraform, and what stands there in YAML and markup. */
const block = String.raw`["',;\s/>{<-]{1,40}(?:type\s{0,4}=\s{0,4}\w{1,20}\s{1,40}|(?:description|sensitive)\s{0,4}[=:][^\n]{0,200}\n\s{0,40}){0,3}`

const patterns = [
  // A name beside its value: `name: DB_PASSWORD` with `value: …` below or beside it, in JSON, YAML, XML and Terraform.
  String.raw`(?:${named}|\bvariable\s{1,4})${name}(?:${block}|${fields})["']?${value}["']?\s{0,4}[:=>]\s{0,4}(?<quote>["']?)${secret}`,
  // The value first: read from the name back to its beginning, so the closing quote comes before the opening one.
  String.raw`(?<=(?<![\w-])${value}${assigned}\k<quote>${secret}(?:(?<quote>["'])|(?=[ \t]{0,9}\r?\n))${fields})${named}${name}`,
  // A name and its value in a property list of Apple's.
  String.raw`<key>(?<name>[A-Za-z][\w.-]{2,80})</key>\s{0,40}<string>(?<quote>)(?<secret>[^\s<>]{4,4000})`,
].map((pattern) => new RegExp(pattern, 'diy'))
/** How they begin. */
const beginning = new RegExp(String.raw`${named}|\bvariable\s|<key>`, 'gi')
/** Characters of a pair in front of the word in its name that promises something, at most. */
const before = 104

export const pairFinder: NearFinder = {
  near: promising,
  *find(text, places) {
    for (const { from, to } of stretches(text, places, before, 0)) {
      for (const { index } of text.slice(from, to).matchAll(beginning)) {
        for (const pattern of patterns) {
          pattern.lastIndex = from + index
          const found = findingOf(pattern.exec(text))
          if (found !== undefined) yield found
        }
      }
    }
  },
}

function findingOf(match: RegExpExecArray | null): Finding | undefined {
  if (match === null) return undefined
  const { name = '', secret = '', quote = '' } = match.groups ?? {}
  const [start, end] = match.indices?.groups?.['secret'] ?? [0, 0]
  const promised = promiseOf(wordsOf(name))
  const accepted = promised === 'password' ? isPassword(secret, { quoted: quote !== '', whole: true }) : promised !== 'nothing' && isKey(secret, quote !== '')
  return accepted ? { start, end, tag: promised === 'password' ? promised : 'key' } : undefined
}
