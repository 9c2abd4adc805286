import { createRandom, type Random } from '@precis/testkit'
import type { Said, Talk } from './format.ts'
import { outputKinds, outputOf } from './outputs.ts'
import { shuffled } from './shuffled.ts'
import { type ToolFact, toolFacts } from './tool-facts.ts'

/** One call of a tool before an answer; its argument is in no other call. */
interface Call {
  readonly id: string
  readonly tool: string
  readonly argument: string
}

/** What is asked in a question: whose fact, whether it was changed, in which words. */
export interface Question {
  readonly fact: Pick<Said, 'asks' | 'asksOtherwise' | 'answer' | 'stale'>
  readonly kind: 'kept' | 'changed' | 'tool'
  readonly otherwise: boolean
}

/** A message of the person, and what the assistant does with it. */
export interface Turn {
  readonly content: string
  /** Calls of one answer, each answer in turn. */
  readonly calls: readonly (readonly Call[])[]
  readonly reply: string
  readonly question?: Question
}

/** A talk as it is had: what is said and changed, then as much on other matters as it takes, then the questions among other matters. */
export interface Conversation {
  readonly opening: readonly Turn[]
  /** The n-th message on other matters, from 0 on. */
  between(at: number): Turn
  readonly asking: readonly Turn[]
  /** What each call returns, by its argument. */
  readonly outputs: ReadonlyMap<string, string>
}

/** Messages from one thing that was said to its change: soon, or later. */
const soon: readonly [number, number] = [1, 3]
const later: readonly [number, number] = [13, 20]
/** Of messages in the opening that say something new. */
const saysNew = 0.4
/** Ordinary messages before each question. */
const perQuestion = 3
/** Calls before an answer, one of these each time; and how often they are made in one message. */
const callsBefore = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]
const inOneAnswer = 0.5
/** Of outputs, and sentences like those with a fact in each of the others. */
const boring = 1 / 3
const notes: readonly [number, number] = [1, 3]

/** The same talk and seed give the same conversation, everywhere. */
export function conversationOf(talk: Talk, seed: number): Conversation {
  const random = createRandom(seedOf(talk.name, seed))
  const { facts, other } = toolFacts(talk.language, random)
  const outputs = new Map<string, string>()

  /** One part of the conversation: its turns do not depend on how long the others are. */
  const part = (name: string) => {
    const own = createRandom(seedOf(`${talk.name} ${name}`, seed))
    let [calls, turns] = [0, 0]
    const call = (sentence: string | undefined): Call => {
      const kind = own.pick(outputKinds)
      const id = `${name}_${++calls}`
      const argument = `${kind} ${id}`
      const others = Array.from({ length: own.between(...notes) }, () =>
        other(own),
      )
      const said = own.chance(boring) ? [] : others
      outputs.set(
        argument,
        outputOf(kind, sentence === undefined ? said : [sentence], own),
      )
      return { id, tool: kind === 'hits' ? 'search' : 'read_file', argument }
    }
    const turn = (content: string, sentence?: string): Turn => {
      const least = sentence === undefined ? 0 : 1
      const many = talk.tools ? Math.max(least, own.pick(callsBefore)) : 0
      const made = Array.from({ length: many }, (_, at) =>
        call(at === 0 ? sentence : undefined),
      )
      return {
        content,
        calls: own.chance(inOneAnswer) ? [made] : made.map((one) => [one]),
        reply: talk.replies[turns++ % talk.replies.length] ?? '',
      }
    }
    let left: string[] = []
    let round = -1
    const ordinary = (): string => {
      if (left.length === 0) {
        left = shuffled(own, talk.around)
        round++
      }
      return `${marked(round)}${left.pop() ?? ''}`
    }
    return { own, turn, ordinary }
  }

  const first = part('first')
  const said = saidIn(talk, first.own, first.ordinary)
  const planted = talk.tools ? facts : []
  const places = planted.map((_, at) =>
    Math.floor((said.length * at) / (facts.length + 1)),
  )
  const opening = said.map((content, at) =>
    first.turn(content, planted[places.indexOf(at)]?.sentence),
  )

  const filler = part('filler')
  const fillers: Turn[] = []
  const between = (at: number): Turn => {
    while (fillers.length <= at) fillers.push(filler.turn(filler.ordinary()))
    return fillers[at] as Turn
  }

  const last = part('last')
  const asking = questionsOf(talk, planted, last.own).flatMap((question) => {
    const { fact, otherwise } = question
    const content = otherwise ? fact.asksOtherwise : fact.asks
    return [
      ...Array.from({ length: perQuestion }, () => last.turn(last.ordinary())),
      { content, calls: [], reply: '', question },
    ]
  })
  return { opening, between, asking, outputs }
}

/** In front of what was said before: `(a) `, `(b) `, …, so that no message is a repetition, which a record need not hold twice. */
const marked = (round: number): string =>
  round === 0 ? '' : `(${(round + 9).toString(36)}) `

/** What is said and changed, in order, with other matters between. */
function saidIn(
  { said }: Talk,
  random: Random,
  ordinary: () => string,
): readonly string[] {
  const messages: string[] = []
  let due: {
    readonly of: Said
    readonly change: number
    readonly at: number
  }[] = []
  const schedule = (of: Said, change: number): void => {
    if (of.changes?.[change] === undefined) return
    const isSoon = change === 0 && of.soon === true
    const gap = random.between(...(isSoon ? soon : later))
    due.push({ of, change, at: messages.length - 1 + gap })
    due.sort((a, b) => a.at - b.at)
  }
  for (let next = 0; next < said.length || due.length > 0; ) {
    const [changed] = due
    const one = said[next]
    if (changed !== undefined && changed.at <= messages.length) {
      due = due.slice(1)
      messages.push(changed.of.changes?.[changed.change] ?? '')
      schedule(changed.of, changed.change + 1)
    } else if (one !== undefined && random.chance(saysNew)) {
      next++
      messages.push(one.says)
      schedule(one, 0)
    } else messages.push(ordinary())
  }
  return messages
}

/** Each fact in both wordings, one of them in the first half, the other in the second. */
function questionsOf(
  { said }: Talk,
  planted: readonly ToolFact[],
  random: Random,
): readonly Question[] {
  const facts = [
    ...said.map((fact) => ({
      fact,
      kind:
        fact.changes === undefined ? ('kept' as const) : ('changed' as const),
    })),
    ...planted.map(({ asked }) => ({ fact: asked, kind: 'tool' as const })),
  ]
  const ways = facts.map(() => random.chance(0.5))
  return [false, true].flatMap((isSecond) =>
    shuffled(
      random,
      facts.map((one, at) => ({ ...one, otherwise: ways[at] !== isSecond })),
    ),
  )
}

/** FNV-1a of a name, and a seed. */
export function seedOf(name: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < name.length; at++)
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
