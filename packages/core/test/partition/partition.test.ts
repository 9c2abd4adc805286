import { groupMessages, type Message, partitionMessages, presets } from '@precis/core'
import { assistant, call, history, pinned, result, step, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// What stays whole: one letter for each group, in order. P pinned, R recent, T a tool step beyond the tail, S related, · what a summary may replace.

type Rules = Parameters<typeof partitionMessages>[3]
const letters = { pinned: 'P', recent: 'R', toolPairs: 'T', related: 'S', remainder: '·' } as const
const none: Rules['retention'] = { turns: 0, messages: 0, toolPairs: 0, tokens: 1_000, related: 0, firstRequest: 0, newestRequest: 0 }

/** Every group takes 10 Tokens. */
function placesOf(messages: readonly Message[], retention: Partial<Rules['retention']> = {}, rules: Partial<Rules> = {}): string {
  const groups = groupMessages(messages)
  const { retain } = presets.balanced
  const given: Rules = { retain, retention: { ...none, ...retention }, isPinnedTool: () => false, isRelated: () => false, ...rules }
  const partition = partitionMessages(messages, groups, () => 10, given)
  const places = groups.map(() => '')
  for (const [place, letter] of Object.entries(letters)) for (const at of partition[place as keyof typeof letters]) places[at] += letter
  return places.join('')
}

const turn = (at: number): readonly Message[] => history(user(`request ${at}`), step('run', `call-${at}`, {}, 'done'), assistant(`answer ${at}`))
const talk = history(turn(1), turn(2), turn(3))
const barrier: Message = { role: 'assistant', parts: [{ type: 'opaque', kind: 'compaction', size: 40, barrier: true }] }

describe('each group stands in one place', () => {
  it.each<[string, readonly Message[], Partial<Rules['retention']>, Partial<Rules>, string]>([
    ['nothing is kept: the newest group stays all the same', talk, {}, {}, '········R'],
    ['the newest turn', talk, { turns: 1 }, {}, '······RRR'],
    ['the newest messages', talk, { messages: 4 }, {}, '······RRR'],
    ['as many of them as have room', talk, { turns: 3, tokens: 40 }, {}, '·····RRRR'],
    ['steps beyond the tail', talk, { turns: 1, toolPairs: 2 }, {}, '····T·RRR'],
    ['the first request, where it has room', talk, { firstRequest: 10 }, {}, 'P·······R'],
    ['the newest request, where it has room', talk, { newestRequest: 10 }, {}, '······P·R'],
    ['what is over its room is not kept', talk, { firstRequest: 9, newestRequest: 9 }, {}, '········R'],
    ['what speaks of what is asked now', talk, { related: 10 }, { isRelated: (at) => at === 4 || at === 1 }, '···S····R'],
    [
      'instructions and protected messages',
      history(system('Be brief.'), user('a'), pinned(user('b')), assistant('c'), user('d'), assistant('e')),
      {},
      {},
      'P·P··R',
    ],
    ['calls of a tool that is pinned', talk, {}, { isPinnedTool: (tool) => tool === 'run' }, '·P··P··PR'],
    ['what the host wants to keep', talk, {}, { isKept: (messages) => messages.some(({ role }) => role === 'tool') }, '·P··P··PR'],
    ['a provider’s own compaction, and all before it', history(user('a'), assistant('b'), barrier, user('c'), assistant('d')), {}, {}, 'PPP·R'],
    ['work in flight', history(user('a'), assistant('b'), user('c'), call('run', '1')), {}, {}, '···P'],
    [
      'what the model has not answered yet, whatever its size',
      history(user('a'), assistant('b'), step('run', '1', {}, 'x'), step('run', '2', {}, 'y')),
      { tokens: 1 },
      {},
      '···R',
    ],
    ['results of one step, and a request behind them', history(user('a'), call('run', '1'), result('1', 'x'), user('and b?')), { tokens: 1 }, {}, '·RR'],
    ['nothing at all', history(), {}, {}, ''],
  ])('%s', (_, messages, retention, rules, expected) => {
    expect(placesOf(messages, retention, rules)).toBe(expected)
  })
})
