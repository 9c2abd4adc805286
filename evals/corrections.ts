// Users who correct what they said, alone or in one line with other things: what a reader of the context takes to hold, who believes what stands last.
import { ruler } from '@precis/cli/replay'
import { createCompactor, type Message } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { finished } from '../packages/core/src/history/pieces.ts'
import { askedAboutInPieces } from '../packages/core/src/recall/asked-about.ts'
import { leftMessages } from '../packages/core/src/recall/rounds.ts'
import { type Dice, diceOf, stepOf } from './sessions/generated.ts'
import { neutral, neutralText } from './sessions/transcripts.ts'
import { policy } from './ways/strategies.ts'

type Saying = (what: string, of: string, value: string) => string

const whats = ['monthly fee', 'release date', 'owner', 'deploy port', 'region', 'retry limit', 'staging host', 'budget code']
const places = 'Orchid Harbor Lantern Meadow Granite Willow Cobalt Juniper Saffron Canyon Falcon Ember Glacier Thicket Marble Pepper'.split(' ')
const things = 'gateway billing mailer archive scheduler ledger tenant webhook'.split(' ')
const stating: readonly Saying[] = [
  (what, of, value) => `By the way, the ${what} of the ${of} is ${value}.`,
  (what, of, value) => `Please go through pages 3 to 9. Note that the ${what} of the ${of} is ${value}. Keep it in mind.`,
  (what, of, value) => `Next part, please. For the ${of} the ${what} is ${value}, and nothing else changes.`,
  (what, of, value) => `- the ${what} of the ${of}: ${value}\n- go on with the next part`,
]
const correcting: readonly Saying[] = [
  (what, of, value) => `Correction: the ${what} of the ${of} is ${value} now.`,
  (what, of, value) => `Please go through pages 10 to 12. Correction: the ${what} of the ${of} is ${value} now. Then tell me what you see there.`,
  (what, of, value) => `Continue with the next part. I was wrong about the ${of}: its ${what} is ${value}. Also run the checks once more, please.`,
  (what, of, value) => `Wait, the ${what} of the ${of} changed to ${value}. Go on.`,
  (what, of, value) => `Go on with the next part. It's no longer that: ${value} is the ${what} of the ${of} from today on.`,
]

interface Corrected {
  readonly question: string
  readonly before: string
  readonly now: string
}

const turns = 40
const corrections = 12
/** Turns in which something is said first, and corrected at the latest. */
const lastStated = 18
const lastCorrected = 34

function sessionOf(seed: number): { readonly messages: readonly Message[]; readonly corrected: readonly Corrected[] } {
  const dice: Dice = diceOf(seed * 77)
  const said = new Map<number, string[]>()
  const corrected = Array.from({ length: corrections }, (_, at): Corrected => {
    const what = whats[(at + seed) % whats.length] as string
    const of = `${places[(at * 5 + seed) % places.length]} ${things[(at + seed * 3) % things.length]}`
    const [before, now] = [0, 1].map(() => `${dice.pick(['KX', 'RV', 'ZT'])}-${dice.between(10_000, 99_999)}`) as [string, string]
    const first = dice.between(0, lastStated)
    for (const [turn, saying, value] of [
      [first, dice.pick(stating), before],
      [dice.between(first + 1, lastCorrected), dice.pick(correcting), now],
    ] as const)
      said.set(turn, [...(said.get(turn) ?? []), saying(what, of, value)])
    return { question: `What is the ${what} of the ${of}?`, before, now }
  })
  const messages = Array.from({ length: turns }, (_, turn) => [
    { role: 'user' as const, content: said.get(turn)?.join(' ') ?? `Go on with part ${turn}.` },
    ...[0, 1].flatMap((step) => stepOf(`call_${turn}_${step}`, dice)),
    { role: 'assistant' as const, content: `Part ${turn} is done.` },
  ])
  return { messages: messages.flat().map(neutral), corrected }
}

/** Of so many sessions, kept in a window of so many Tokens from their first message on: how often what was said later is what stands last, of what is there or came back. */
export async function correctionsIn(window: number, sessions: number): Promise<Record<string, string | number>> {
  let [right, asked, came] = [0, 0, 0]
  for (let seed = 1; seed <= sessions; seed++) {
    const { messages, corrected } = sessionOf(seed)
    const limits = { contextWindow: 0, maxInput: window }
    const session = createCompactor<Message>({ codec: neutralCodec, estimator: ruler, limits, policy, redact: false }).session('corrections')
    for (const [at, { role }] of messages.entries()) if (role !== 'assistant') await session.beforeModelCall(messages.slice(0, at + 1))
    for (const { question, before, now } of corrected) {
      const history: readonly Message[] = [...messages, { role: 'user', parts: [{ type: 'text', text: question }] }]
      const context = (await session.beforeModelCall(history)).messages
      const found = finished(
        askedAboutInPieces(history, context.map(neutralCodec.read), { left: leftMessages(history, context), tokens: 400, estimator: ruler }),
      )
      const read = [...context.slice(0, -1).map(neutralText), found?.text ?? ''].join('\n')
      asked++
      if (found !== undefined) came++
      if (read.lastIndexOf(now) > read.lastIndexOf(before)) right++
    }
  }
  return { window, corrections: asked, 'read right': `${Math.round((right / asked) * 1_000) / 10} %`, 'something came back': came }
}
