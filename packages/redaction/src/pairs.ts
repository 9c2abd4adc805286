import type { Finding } from '@precis/core'
import { isKey, isPassword } from './judge.ts'
import { promiseOf, promising, wordsOf } from './names.ts'
import { type NearFinder, stretches } from './near.ts'

/** A name beside its value: `name: DB_PASSWORD` with `value: …` below or beside it, in JSON, YAML, XML and Terraform. */
const pair =
  /(?:["']?(?:name|key|variable|header|id|field|type)["']?\s{0,4}[:=]\s{0,4}|\bvariable\s{1,4})(?<open>["']?)(?<name>[A-Za-z][\w.-]{2,80})\k<open>["',;\s/>{<-]{1,40}(?:type\s{0,4}=\s{0,4}\w{1,20}\s{1,40}|(?:description|sensitive)\s{0,4}[=:][^\n]{0,200}\n\s{0,40}){0,3}["']?(?:value|default|val|content|data)["']?\s{0,4}[:=>]\s{0,4}(?<quote>["']?)(?<secret>[^\s"'<>,{}]{4,4000})/iy
/** The same in a property list of Apple's. */
const property = /<key>(?<name>[A-Za-z][\w.-]{2,80})<\/key>\s{0,40}<string>(?<quote>)(?<secret>[^\s<>]{4,4000})/iy
/** How they begin. */
const beginning = /["']?(?:name|key|variable|header|id|field|type)["']?\s{0,4}[:=]|\bvariable\s|<key>/gi
/** Characters of a pair in front of the word in its name that promises something, at most. */
const before = 104

export const pairFinder: NearFinder = {
  near: promising,
  *find(text, places) {
    for (const { from, to } of stretches(text, places, before, 0)) {
      for (const { index } of text.slice(from, to).matchAll(beginning)) {
        for (const pattern of [pair, property]) {
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
  const promised = promiseOf(wordsOf(name))
  const accepted = promised === 'password' ? isPassword(secret, { quoted: quote !== '', whole: true }) : promised !== 'nothing' && isKey(secret, quote !== '')
  const end = match.index + match[0].length
  return accepted ? { start: end - secret.length, end, tag: promised === 'password' ? promised : 'key' } : undefined
}
