// `npm run evals -- unasked`: what comes back unasked with the messages of real users, where a quarter, or an eighth, is left of what came before them (`--show`
// prints it); whether a fact of a generated session comes back with a question about it; and whether what a user corrected is read as they corrected it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ruler } from '@precis/cli/replay'
import { createCompactor, type Message } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { finished } from '../packages/core/src/history/pieces.ts'
import { askedAboutInPieces } from '../packages/core/src/recall/asked-about.ts'
import type { LookedUp } from '../packages/core/src/recall/quote-passages.ts'
import { leftMessages } from '../packages/core/src/recall/rounds.ts'
import { correctionsIn } from './corrections.ts'
import { isTold } from './measures/wording.ts'
import { neutral, neutralText, type Recorded, type RecordedMessage, readTranscripts, textOf, tokensOf } from './sessions/transcripts.ts'
import { type StatedCut, statedCuts } from './stated-facts.ts'
import { policy } from './ways/strategies.ts'

const budgets = [0.25, 0.125]
const small = [0.05, 0.1]
const windows = [2_500, 4_500, 6_000, 16_000]
/** Messages that are looked at in one session at most, spread over it, and Tokens before the first. */
const most = 12
const least = ({ domain }: Recorded): number => (domain === 'coding' ? 15_000 : 1_500)
const tokensIn = (messages: readonly RecordedMessage[]): number => messages.reduce((sum, message) => sum + tokensOf(textOf(message)), 0)

/** Places of messages of the user, some way into the session. */
function placesIn(session: Recorded): readonly number[] {
  let before = 0
  const places = session.messages.flatMap((message, at) => {
    const isLater = message.role === 'user' && before >= least(session) && textOf(message).trim() !== ''
    before += tokensOf(textOf(message))
    return isLater ? [at] : []
  })
  return places.filter((_, at) => at % Math.ceil(places.length / most) === 0)
}

/** A history and its context; undefined where it cannot be made so small. */
async function compacted(history: readonly Message[], maxInput: number): Promise<readonly Message[] | undefined> {
  const compactor = createCompactor<Message>({ codec: neutralCodec, estimator: ruler, limits: { contextWindow: 0, maxInput }, policy, redact: false })
  try {
    return (await compactor.session('evals').beforeModelCall(history)).messages
  } catch {
    return undefined
  }
}

function comingBack(history: readonly Message[], context: readonly Message[]): LookedUp | undefined {
  return finished(askedAboutInPieces(history, context.map(neutralCodec.read), { left: leftMessages(history, context), tokens: 400, estimator: ruler }))
}

async function ofUsers(sessions: readonly Recorded[], share: number, domain: string): Promise<Record<string, string | number>> {
  let [asked, came, tokens] = [0, 0, 0]
  for (const session of sessions.filter((one) => one.domain === domain)) {
    for (const place of placesIn(session)) {
      const messages = session.messages.slice(0, place + 1)
      const history = messages.map(neutral)
      const context = await compacted(history, Math.max(1_000, Math.floor(tokensIn(messages) * share)))
      const found = context && comingBack(history, context)
      asked++
      if (found === undefined) continue
      came++
      tokens += found.tokens
      if (process.argv.includes('--show')) console.log(`--- ${session.set}\n${textOf(messages.at(-1) as RecordedMessage).slice(-400)}\n=>\n${found.text}\n`)
    }
  }
  return { left: `${share * 100} %`, domain, messages: asked, 'something came back': came, 'tokens each': came === 0 ? 0 : Math.round(tokens / came) }
}

async function ofFacts(cuts: readonly StatedCut[], share: number): Promise<Record<string, string | number>> {
  const found = { 'in the context': 0, 'or with a question in its words': 0, 'or in other words': 0 }
  let [facts, tokens] = [0, 0]
  for (const cut of cuts) {
    const history = cut.prefix.map(neutral)
    const context = (await compacted(history, Math.floor(cut.tokens * share))) ?? []
    const text = context.map(neutralText).join('\n')
    for (const { value, sentence, question, otherwise } of cut.facts) {
      const withQuestion = (asked: string): LookedUp | undefined => comingBack([...history, { role: 'user', parts: [{ type: 'text', text: asked }] }], context)
      const isIn = (some: string): boolean => isTold(text, value, sentence) || isTold(some, value, sentence)
      const [inItsWords, inOthers] = [withQuestion(question), withQuestion(otherwise)]
      facts++
      tokens += inItsWords?.tokens ?? 0
      if (isIn('')) found['in the context']++
      if (isIn(inItsWords?.text ?? '')) found['or with a question in its words']++
      if (isIn(inOthers?.text ?? '')) found['or in other words']++
    }
  }
  const shares = Object.entries(found).map(([name, count]) => [name, `${Math.round((count / facts) * 1_000) / 10} %`])
  return { left: `${share * 100} %`, facts, ...Object.fromEntries(shares), 'tokens a question': Math.round(tokens / facts) }
}

const sessions = readTranscripts()
if (sessions.length === 0) console.log('No transcripts were found. Set PRECIS_TRANSCRIPTS to a folder of recorded sessions (JSON Lines); nothing was measured.')
else {
  const users: Awaited<ReturnType<typeof ofUsers>>[] = []
  const domains = [...new Set(sessions.map(({ domain }) => domain))]
  for (const share of budgets) for (const domain of domains) users.push(await ofUsers(sessions, share, domain))
  const cuts = statedCuts(6)
  const facts = [await ofFacts(cuts, small[0] as number), await ofFacts(cuts, small[1] as number)]
  const corrections: Awaited<ReturnType<typeof correctionsIn>>[] = []
  for (const window of windows) corrections.push(await correctionsIn(window, 12))
  const messages = users.filter((row) => Number(row['messages']) > 9)
  console.table(messages)
  console.table(facts)
  console.table(corrections)
  const results = join(import.meta.dirname, 'results')
  mkdirSync(results, { recursive: true })
  writeFileSync(join(results, 'unasked.json'), JSON.stringify({ messages, facts, corrections }, null, 2))
}
