import { builtInEstimator, createCompactor, neutralCodec, recordOf, textOf } from '@precis/core'
import { assistant, call, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { sentencesOf } from '../../src/record/facts/statements.ts'
import { namesIn } from '../../src/record/names/names.ts'
import { cutMiddle } from '../../src/record/texts/truncate.ts'

/** Words, the same each time, of some syllables. */
function proseOf(syllables: readonly string[], glue: string, end: string): (sentences: number) => string {
  let seed = 7
  const random = (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return Math.floor((seed / 0x80000000) * most)
  }
  const word = (): string => Array.from({ length: 2 + random(3) }, () => syllables[random(syllables.length)]).join('')
  const words = Array.from({ length: 3_000 }, word)
  const sentence = (): string => Array.from({ length: 11 }, () => words[random(words.length)]).join(glue) + end
  return (sentences) => Array.from({ length: sentences }, sentence).join(glue)
}

describe('a record in any language', () => {
  it.each([
    ['Chinese', '请开发订单系统：每个订单都有送货地址，仓库周一不开门，并通知客户。'.repeat(240), (at: number) => `第${at + 100}项：上限保持为${at}。`],
    [
      'a table of numbers',
      Array.from({ length: 2_000 }, (_, at) => `${at * 7_919},${at % 97}`).join('\n'),
      (at: number) => `Limit ${at + 100} stays at ${at}.`,
    ],
  ])('quotes the other requests beside a long first one: %s', async (_, long, request) => {
    const messages = [user(long)]
    for (let at = 0; at < 60; at++) messages.push(assistant(`Step ${at} done. ${'log line of the build\n'.repeat(40)}`), user(request(at)))
    const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 16_000, maxOutput: 1_000 } }).session('s')
    const text = (await session.beforeModelCall(messages)).messages.map(textOf).join('\n')
    expect(text).toContain('[0] user: ')
    expect(text.match(/^\[\d+\] user: /gm)?.length).toBeGreaterThan(15)
  })
  it.each([
    ['English', (at: number) => `Refund ${4_711 + at} is booked: ${at + 300} euros.`],
    ['Chinese', (at: number) => `退款${4_711 + at}已入账：${at + 300}欧元。`],
    ['Korean', (at: number) => `환불 ${4_711 + at} 처리됨: ${at + 300} 유로.`],
    ['Russian', (at: number) => `Возврат ${4_711 + at} оформлен: ${at + 300} евро.`],
  ])('tells what came of each request: %s', (_, answer) => {
    const messages = Array.from({ length: 20 }, (_, at) => [user(`q${at}`), assistant(answer(at))]).flat()
    const { entries } = recordOf(messages, [...messages.keys()], { budget: 4_000, requests: 500, estimator: builtInEstimator, already: '' })
    expect(entries.filter(({ kind }) => kind === 'decision')).toHaveLength(20)
  })
  it('sentences end where the script ends them', () => {
    expect(sentencesOf('الطابوران يعملان الآن معًا. يبدأ السجل دائمًا في الصباح.')).toHaveLength(2)
    expect(sentencesOf('第一个问题已经解决了。第二个问题还没有解决。').map(({ text }) => text)).toEqual(['第一个问题已经解决了。', '第二个问题还没有解决。'])
  })
  it.each([
    ['English', 'ba ke lo mi ru ta se no vi du fa gol hem jar', ' ', '.'],
    ['Russian', 'ба ке ло ми ру та се но ви ду фа гол хем жар', ' ', '.'],
    ['Chinese', '一 二 他 的 我 了 什 么 客 户 订 单 通 知', '', '。'],
  ])('uses its room for prose without names: %s', (_, syllables, glue, end) => {
    const prose = proseOf(syllables.split(' '), glue, end)
    const messages = Array.from({ length: 25 }, (_, at) => [
      user(prose(1)),
      call('f', `c${at}`, {}),
      result(`c${at}`, prose(24), { tool: 'f' }),
      assistant(prose(12)),
    ]).flat()
    const { text, entries } = recordOf(messages, [...messages.keys()], { budget: 3_000, requests: 800, estimator: builtInEstimator, already: '' })
    expect(builtInEstimator.count(text)).toBeGreaterThan(2_800)
    // What is newest is shown.
    expect(entries.some(({ kind, sources: [index = 0] }) => kind === 'passage' && index > 80)).toBe(true)
  })
  it('is cut behind sentences in a script without spaces', () => {
    const prose = proseOf('一 二 他 的 我 了 什 么 客 户 订 单 通 知'.split(' '), '', '。')(60)
    const [head = '', tail = ''] = cutMiddle(prose, 600).split(/\n\[… \d+ characters …\]\n/)
    expect(head.endsWith('。')).toBe(true)
    expect(prose.endsWith(`。${tail}`)).toBe(true)
    const messages = [user('Go.'), call('f', 'c', {}), result('c', prose, { tool: 'f' })]
    const { entries } = recordOf(messages, [1, 2], { budget: 300, requests: 100, estimator: builtInEstimator, already: '' })
    const shown = entries.filter(({ kind }) => kind === 'passage').map(({ text }) => text)
    expect(shown.join('').replace(/^\[2\]> f\n/, '')).toMatch(/^[一-鿿]+。(?:[一-鿿…]+。)*…?$/)
  })
  it('a path is one name, whatever its letters; a sign of a script without spaces is no part of a name', () => {
    expect([...namesIn('siehe /home/jürgen/Übersicht_2.md heute')]).toContain('/home/jürgen/Übersicht_2.md')
    expect([...namesIn('请在src/app.ts里修改')]).toContain('src/app.ts')
  })
})
