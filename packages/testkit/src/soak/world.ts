import type { Message } from '@precis/core'
import { assistant, call, result, user } from '../builders.ts'
import type { Random } from '../random.ts'

/** Something worth remembering, and the length of the history when it was told. */
export interface Fact {
  readonly name: string
  readonly value: string
  readonly told: number
}

const verbs = ['reads', 'writes', 'caches', 'retries', 'parses', 'merges', 'checks', 'loads'] as const

const nouns = ['request', 'config', 'session', 'worker', 'queue', 'report', 'index', 'ledger', 'token', 'batch'] as const

/** What an agent meets: files, logs, failures, requests of the user, and now and then something worth remembering. */
export function createWorld(random: Random) {
  let step = 0
  const line = (at: number): string =>
    `${at}: ${random.pick(nouns)} ${random.pick(verbs)} the ${random.pick(nouns)} of ${random.chance(0.15) ? `${random.pick(nouns)}-${random.between(1, 999)}` : `its ${random.pick(nouns)}`}`
  const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => line(at + 1))
  const learn = (history: readonly Message[], facts: Fact[]): string => {
    const name = `${random.pick(nouns)}_${random.pick(verbs)}_${facts.length}`
    const value = `${random.pick(['REV', 'OPS', 'CFG'])}-${random.between(1_000, 99_999)}`
    facts.push({ name, value, told: history.length })
    return `${name} = ${value}`
  }
  return {
    grow(history: Message[], facts: Fact[]): void {
      if (history.at(-1)?.role !== 'user' || random.chance(0.12)) {
        const told = random.chance(0.15) ? ` Remember that ${learn(history, facts).replace(' = ', ' is ')}.` : ''
        if (history.at(-1)?.role === 'tool') history.push(assistant(`The ${random.pick(nouns)} ${random.pick(verbs)} fine.`))
        history.push(user(`Look at the ${random.pick(nouns)} that ${random.pick(verbs)} the ${random.pick(nouns)}.${told}`))
      }
      const id = `s${step++}`
      const path = `src/${random.pick(nouns)}/${random.pick(verbs)}-${random.between(1, 60)}.ts`
      const content = lines(random.between(3, random.chance(0.1) ? 160 : 45))
      const failed = random.chance(0.08)
      if (!failed && random.chance(0.3)) content.splice(random.between(0, content.length), 0, learn(history, facts))
      history.push(call(random.pick(['read_file', 'grep', 'run', 'edit_file']), id, { path }))
      history.push(result(id, failed ? `Error: cannot open ${path}` : content.join('\n'), { tool: 'read_file', isError: failed }))
    },
  }
}
