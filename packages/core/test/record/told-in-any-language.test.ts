import { builtInEstimator, type Message, recordOf } from '@precis/core'
import { assistant, call, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { statementsOf } from '../../src/record/facts/statements.ts'
import { ownWords } from '../../src/record/texts/own-words.ts'

/** What somebody asks, what is said before a call, what was seen, what is merely described, and what came of it. */
interface Told {
  readonly ask: string
  readonly plan: string
  readonly seen: string
  readonly described: string
  readonly ended: string
  readonly offer: string
}

const languages: Readonly<Record<string, Told>> = {
  German: {
    ask: 'Finde heraus, warum die Etiketten doppelt gedruckt werden.',
    plan: 'Jetzt lese ich auch noch das zweite Dokument.',
    seen: 'Der Drucker bekommt jede Bestellung zweimal, da beide Warteschlangen laufen.',
    described: 'Das Protokoll beginnt am Morgen und endet spät am Abend.',
    ended: 'Die alte Warteschlange läuft nicht mehr, jedes Etikett kommt einmal heraus.',
    offer: 'Soll ich mit dem nächsten Punkt weitermachen?',
  },
  Spanish: {
    ask: 'Averigua por qué las etiquetas se imprimen dos veces.',
    plan: 'Ahora leo también el segundo documento.',
    seen: 'La impresora recibe cada pedido dos veces porque ambas colas están en marcha.',
    described: 'El registro empieza por la mañana y termina tarde por la noche.',
    ended: 'La cola antigua está parada y cada etiqueta sale una sola vez.',
    offer: '¿Sigo con el siguiente punto?',
  },
  Russian: {
    ask: 'Выясни, почему этикетки печатаются дважды.',
    plan: 'Теперь прочитаю ещё и второй документ.',
    seen: 'Принтер получает каждый заказ дважды, потому что работают обе очереди.',
    described: 'Журнал начинается утром и заканчивается поздно вечером.',
    ended: 'Старая очередь отключена, каждая этикетка выходит один раз.',
    offer: 'Мне продолжать со следующим пунктом?',
  },
  Chinese: {
    ask: '查一下为什么标签会打印两次。',
    plan: '让我再读一下第二份文件。',
    seen: '打印机每个订单收到两次，旧队列和新队列在同时运行。',
    described: '记录从早上开始，到深夜结束。',
    ended: '旧队列已经关掉，之后每张标签都打印一次。',
    offer: '要我继续处理下一项吗？',
  },
  Arabic: {
    ask: 'اعرف لماذا تُطبع الملصقات مرتين.',
    plan: 'سأقرأ الآن الوثيقة الثانية أيضًا.',
    seen: 'الطابعة تستقبل كل طلب مرتين لأن الطابورين يعملان معًا.',
    described: 'يبدأ السجل في الصباح وينتهي في وقت متأخر من المساء.',
    ended: 'الطابور القديم متوقف ومنذ ذلك الحين يخرج كل ملصق مرة واحدة.',
    offer: 'هل أتابع مع النقطة التالية؟',
  },
  Hindi: {
    ask: 'पता करो कि लेबल दो बार क्यों छपते हैं।',
    plan: 'अब दूसरा दस्तावेज़ भी पढ़ लेता हूँ।',
    seen: 'प्रिंटर को हर ऑर्डर दो बार मिलता है क्योंकि दोनों कतारें चल रही हैं।',
    described: 'रिकॉर्ड सुबह शुरू होता है और देर शाम समाप्त होता है।',
    ended: 'पुरानी कतार बंद है और हर लेबल एक ही बार निकलता है।',
    offer: 'क्या मैं अगले बिंदु पर आगे बढ़ूँ?',
  },
}
const told = Object.entries(languages)

const sessionOf = ({ ask, plan, seen, described, ended, offer }: Told): readonly Message[] => [
  user(ask),
  call('read_file', 'a', { path: 'print.log' }, plan),
  result('a', 'nothing to see here\n'.repeat(20)),
  call('read_file', 'b', { path: 'more.log' }, `${seen} ${described} ${plan}`),
  result('b', 'nothing to see here\n'.repeat(20)),
  assistant(`${ended} ${described}\n\n${offer}`),
  user(ask),
]

describe('what was found and done is told in any language', () => {
  it.each(told)('what opens a line stands above what is described and announced: %s', (_, one) => {
    const messages = sessionOf(one)
    const found = finished(statementsOf(messages, [...messages.keys()]))
    const of = (text: string): readonly { readonly worth: number; readonly concludes: boolean }[] => found.filter((statement) => statement.text === text)
    expect(of(one.seen)).toMatchObject([{ concludes: true }])
    expect(of(one.ended)).toMatchObject([{ concludes: true, leads: true }])
    const least = Math.min(...[one.seen, one.ended].map((text) => of(text)[0]?.worth ?? 0))
    for (const { worth } of [...of(one.described), ...of(one.plan)]) expect(worth).toBeLessThan(least)
    // A question to the user is none of these, whatever mark it ends with.
    expect(of(one.offer).filter(({ concludes }) => concludes)).toEqual([])
  })
  it.each(told)('a small record tells of each call and each request what came of it: %s', (_, one) => {
    const messages = sessionOf(one)
    const { text } = recordOf(messages, [0, 1, 2, 3, 4, 5], { budget: 320, requests: 80, estimator: builtInEstimator, already: '' })
    const account = text.split('### Excerpts')[0]?.split('### Files')[0]
    for (const own of [one.seen, one.ended]) expect(account).toContain(own)
    expect(account).not.toContain(one.plan)
  })
  it('English that quotes other words, and another language that quotes English, are what most of it is', () => {
    const { ended, described } = languages['German'] as Told
    const worthOf = (messages: readonly Message[], text: string): number | undefined =>
      finished(statementsOf(messages, [...messages.keys()])).find((statement) => statement.text === text)?.worth
    const english = [user('Why?'), assistant(`The log says the following of the matter, and it is long. ${ended}`), user('And?')]
    expect(worthOf(english, ended)).toBeLessThan(0.5)
    const quoting = [user('Warum?'), assistant(`${ended} Im Protokoll steht „end of file“. ${`${described} `.repeat(9)}`), user('Und?')]
    expect(worthOf(quoting, ended)).toBeGreaterThan(0.5)
  })
  it.each(told)('what somebody wrote around what they pasted is theirs: %s', (_, { ask, ended }) => {
    expect(ownWords(`${ask}\n\n${'const a = 1;\n'.repeat(300)}\n${ended}`)).toEqual([ask, ended])
  })
})
