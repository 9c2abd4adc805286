import { type Message, partText, type Tokens } from '../history/message.ts'
import { cutMiddle } from '../record/texts/truncate.ts'

/** A vector as an embedder gives it: dense, or sparse by name. */
export type Vector = readonly number[] | Readonly<Record<string, number>>

/** Characters of one message that say what it is about. */
const longestText = 2_000

/** What one message is about, as text for an embedder: its texts, calls and outputs, at most 2,000 characters of them, cut in the middle. */
export function topicOf(message: Message): string {
  const texts = message.parts.map((part) => (part.type === 'tool-call' ? `${part.tool} ${part.input}` : partText(part)))
  return cutMiddle(texts.join('\n'), longestText)
}

/** One message as a candidate: its index in the history, its vector, its size in Tokens. */
export interface Topic {
  readonly index: number
  readonly vector: Vector
  readonly tokens: Tokens
}

/** Similarity (cosine, 0–1) below which nothing is related, whatever else there is. */
const leastSimilarity = 0.05
/** Share of the way from the least like quarter to the best below which nothing is: the vectors of any model are a little like each other. */
const leastShare = 0.5
/** Candidates looked at for each cluster. */
const candidatesPerCluster = 6

/**
 * Chooses messages that speak of what is asked: the most similar ones, nearer to the best than to the least like quarter, spread over `clusters` topics
 * (each new topic is the candidate least like those chosen before), taken in turn from each topic until the budget is used.
 *
 * @returns Indices, ascending.
 */
export function selectRelated(topics: readonly Topic[], query: Vector, limits: { readonly clusters: number; readonly tokens: Tokens }): readonly number[] {
  const all = topics.map((topic) => ({ ...topic, score: cosine(topic.vector, query) })).sort((a, b) => b.score - a.score || b.index - a.index)
  const [best = 0, low = 0] = [0, Math.floor(all.length * 0.75)].map((at) => all[at]?.score)
  const least = Math.max(leastSimilarity, low + (best - low) * leastShare)
  const scored = all.filter(({ score }) => score >= least).slice(0, limits.clusters * candidatesPerCluster)
  const leaders = scored.slice(0, 1)
  const likest = scored.map((topic) => (leaders[0] ? cosine(topic.vector, leaders[0].vector) : 0))
  while (leaders.length < Math.min(limits.clusters, scored.length)) {
    const leader = scored[likest.indexOf(Math.min(...likest))]
    if (!leader || leaders.includes(leader)) break
    leaders.push(leader)
    scored.forEach((topic, at) => {
      likest[at] = Math.max(likest[at] as number, cosine(topic.vector, leader.vector))
    })
  }
  const clusters = leaders.map((): (typeof scored)[number][] => [])
  for (const topic of scored) clusters[nearest(topic.vector, leaders)]?.push(topic)
  const chosen: number[] = []
  let left = limits.tokens
  for (let round = 0; clusters.some((cluster) => cluster.length > round); round++) {
    for (const cluster of clusters) {
      const topic = cluster[round]
      if (!topic || topic.tokens > left) continue
      chosen.push(topic.index)
      left -= topic.tokens
    }
  }
  return chosen.sort((a, b) => a - b)
}

function nearest(vector: Vector, leaders: readonly Topic[]): number {
  const similarities = leaders.map((leader) => cosine(vector, leader.vector))
  return similarities.indexOf(Math.max(...similarities))
}

function cosine(a: Vector, b: Vector): number {
  const norm = Math.sqrt(dot(a, a) * dot(b, b))
  return norm === 0 ? 0 : dot(a, b) / norm
}

function dot(a: Vector, b: Vector): number {
  let total = 0
  if (isDense(a) && isDense(b)) {
    for (let at = 0; at < a.length; at++) total += (a[at] as number) * (b[at] ?? 0)
  } else if (!isDense(a) && !isDense(b)) {
    for (const name in a) total += (a[name] as number) * (b[name] ?? 0)
  }
  return total
}

function isDense(vector: Vector): vector is readonly number[] {
  return Array.isArray(vector)
}

/**
 * TF-IDF vectors of texts among each other, sparse by word: words of three letters and more in lower case, names split at their humps. Linear in the texts.
 *
 *     vector[word] = (1 + ln count) × ln((1 + texts) ÷ texts with the word)
 *
 * @returns One vector per text, in order; not normalized.
 */
export function lexicalVectors(texts: readonly string[]): readonly Vector[] {
  const counts = texts.map(countWords)
  const documents = new Map<string, number>()
  for (const words of counts) for (const word of words.keys()) documents.set(word, (documents.get(word) ?? 0) + 1)
  return counts.map((words) => {
    const vector: Record<string, number> = Object.create(null) as Record<string, number>
    for (const [word, count] of words) {
      const rarity = Math.log((1 + texts.length) / (documents.get(word) ?? 1))
      if (rarity > 0) vector[word] = (1 + Math.log(count)) * rarity
    }
    return vector
  })
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [raw] of text.matchAll(/[\p{L}\p{N}]{2,40}/gu)) {
    for (const piece of raw.split(/(?<=[a-z])(?=[A-Z])/)) {
      const word = piece.toLowerCase()
      if (word.length > 2) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return counts
}
