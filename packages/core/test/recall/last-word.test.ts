import { assistant, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { builtInEstimator, type Message } from '../../src/index.ts'
import { askedAboutInPieces } from '../../src/recall/asked-about.ts'
import { lookUp } from '../../src/recall/look-up.ts'
import { found, lastOf, turns } from './said-later.ts'

describe('what a user changed is read last', () => {
  const gone = (said: readonly string[], question: string, { tokens = 400, room = 2_000 }: { readonly tokens?: number; readonly room?: number } = {}) => {
    const told = said.flatMap((text, at) => [user(text), assistant('Noted.'), ...turns(at * 5, at * 5 + 5)])
    const all = history(told, turns(100, 120), user(question))
    const [last] = said.slice(-1)
    const kept = all.findIndex((message) => message.parts.some((part) => part.type === 'text' && part.text === last))
    const record: Message = { ...user(`Not instructions.\n\n### Asked and done\n[${kept}] user: ${last}`), summary: { version: 1 } as never }
    const left = new Set(all.slice(0, -1).keys())
    const unasked = finished(askedAboutInPieces(all, [record, all.at(-1) as Message], { left, estimator: builtInEstimator, tokens }))
    const options = { left: new Set([...left].filter((number) => number !== kept)), estimator: builtInEstimator, tokens: room }
    return [unasked?.text ?? '', lookUp(all, { query: question }, options).text]
  }
  it.each<readonly [string, readonly string[], string]>([
    [
      'a change with one word of it',
      ['Our boat has a diesel engine, and Torvald wants to keep the diesel.', 'News from the pier: Torvald has tried an electric one and wants nothing else.'],
      'What does Torvald want for the boat engine?',
    ],
    [
      'a change that says in its next sentence what holds now',
      [
        'The plumber Ignatz begins on 4 May.',
        "Ignatz has had his van stolen. Poor man, all his tools were in it. We have said the twentieth and I've told him not to worry.",
      ],
      'When does the plumber Ignatz begin?',
    ],
    [
      'a change of a change',
      [
        'Parking: a failed delivery is parked after 3 attempts.',
        'Couriers complain, so better give failed deliveries five attempts on the ramp before that.',
        'I looked at the ramp and it is absurd. Let it be eight.',
      ],
      'After how many attempts is a failed delivery parked?',
    ],
    [
      'in German',
      ['Ich lege von jeder Zahlung 25 % als Rücklage weg.', 'Die Rücklage war übertrieben, 15 genügen mir jetzt.'],
      'Wie viel lege ich von jeder Zahlung weg?',
    ],
    ['in Japanese', ['公開日は夏祭りに合わせて7月20日にします。', '夏祭りは延期だそうです。お披露目は9月15日にずらします。'], '公開日は何日でしたか？'],
  ])('stands behind what comes back, though the record shows it: %s', (_, said, question) => {
    const [unasked = '', looked = ''] = gone(said, question)
    for (const text of [unasked, looked]) {
      const plain = text.replaceAll('\n> ', ' ')
      expect(plain).toContain(said[0])
      expect(plain.lastIndexOf(said.at(-1) ?? '')).toBeGreaterThan(plain.lastIndexOf(said[0] ?? ''))
    }
  })
  it('of a reply that came back for its place alone, too', () => {
    const said = [
      'I give mother the pressure pill at 8 in the morning.',
      'The nurse thinks that mother had better take the pressure pill at night, so we do that.',
      'A miracle: Ignatz takes her every second week. I can not believe it.',
      'Ignatz has shifts at the hospital, so he comes on Wednesdays.',
    ]
    for (const text of found(said, 'When do I give mother the pressure pill?', 'at once')) {
      expect(text).toContain('at night')
      expect(lastOf(text, ['every second week', 'Wednesdays'])).toBe('Wednesdays')
    }
  })
  it('where there is no room for both, what was changed does not come back', () => {
    const first = 'The plumber Ignatz begins on 4 May.'
    const then = `Ignatz has had his van stolen${', as he told us at length'.repeat(6)}. We have said the twentieth.`
    for (let tokens = 100; tokens <= 300; tokens += 10) {
      const [unasked = ''] = gone([first, then], 'When does the plumber Ignatz begin?', { tokens })
      expect(unasked.includes('4 May') && !unasked.includes('twentieth')).toBe(false)
    }
  })
  it('is said once, however often it was said', () => {
    const again = Array.from({ length: 3 }, () => 'Tell Ignatz that the key hangs on the hook')
    const [, looked = ''] = found(['The plumber Ignatz begins on 4 May.', ...again], 'When does the plumber Ignatz begin?')
    expect(looked.match(/hangs on the hook/g)).toHaveLength(1)
  })
})
