import { assistant, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { builtInEstimator } from '../../src/index.ts'
import { isWord } from '../../src/recall/everyday-words.ts'
import { lookUp } from '../../src/recall/look-up.ts'
import { asks, splitSentences } from '../../src/recall/questions.ts'
import { rankPassages } from '../../src/recall/search.ts'
import { takesBack } from '../../src/recall/takes-back.ts'
import { piecesOf, stemOf } from '../../src/recall/words.ts'
import { found, lastOf, turns } from './said-later.ts'

describe('what a question asks about comes back in many languages', () => {
  it.each<readonly [string, string]>([
    ['Die Lieferadresse ist Hafenstraße 12.', 'Wie lautet die Lieferadresse?'],
    ["L'adresse de livraison est le 12, rue des Lilas.", "Quelle est l'adresse de livraison ?"],
    ['La dirección de entrega es calle Olmo 12.', '¿Desde dónde o hacia dónde es la dirección de entrega?'],
    ['O endereço de entrega é Rua das Flores, 12.', 'Qual é o endereço de entrega?'],
    ["L'indirizzo di consegna è via Roma 12.", "Qual è l'indirizzo di consegna?"],
    ['Het bezorgadres is Lindelaan 12.', 'Wat is het bezorgadres?'],
    ['Adres dostawy to ulica Lipowa 12.', 'Jaki jest adres dostawy?'],
    ['Адрес доставки: улица Ленина, 12.', 'Какой адрес доставки?'],
    ['Teslimat adresi Gül Sokak 12.', 'Teslimat adresi neydi?'],
    ['डिलीवरी का पता गांधी रोड 12 है।', 'डिलीवरी का पता क्या है?'],
    ['عنوان التسليم شارع النيل 12.', 'ما هو عنوان التسليم؟'],
    ['환불 코드는 RF-2231입니다.', '환불 코드가 뭐였죠?'],
    ['배송 주소는 강남대로 12입니다.', '배송 주소가 어디였죠'],
    ['会議室は三階です。', '会議室は何階ですか。'],
    ['退款编号是RF-2231。', '你还记得退款编号是多少吗'],
  ])('%s %s', (fact, question) => {
    expect(found([fact], question)[0]).toContain(fact)
  })
  it('words that every question has say nothing of what it is about', () => {
    for (const text of [
      'habe welche welches wurde lautet heißt',
      'cette dans elle notre quelle quelles votre où été',
      'desde donde dónde ellos eres porque sobre tiene cuál',
      'qual quais onde você não',
      'какой какая где когда сколько ещё моя',
      'क्या कहाँ कौन कितना कब',
      '무엇인가요 어디 언제 뭐였죠 얼마나 알려 주세요',
    ])
      expect(piecesOf(text).map(stemOf).filter(isWord), text).toEqual([])
  })
  it.each([
    '会議室は何階ですか。',
    '誰が来ましたか',
    '密码还有效吗',
    '网关监听的端口是多少',
    '배송 주소가 어디였죠',
    '주소가 맞습니까.',
    'क्या पता सही है?',
    'यह किसका है ?',
    'ما هو العنوان؟',
  ])('%s is a question', (sentence) => {
    expect(asks(sentence)).toBe(true)
  })
  it.each(['ここは静かです。', '静か。', '我在开会呢。', '회의가 세 시에 끝나요.', '그러니까 그대로 두세요.', 'पता सही है।'])('%s is none', (sentence) => {
    expect(asks(sentence)).toBe(false)
  })
  it('a sentence ends at the marks of its script', () => {
    expect(splitSentences('पता गांधी रोड है। पिन 411001 है।क्या ठीक है?')).toEqual(['पता गांधी रोड है।', 'पिन 411001 है।', 'क्या ठीक है?'])
    expect(splitSentences('会議は三時です。 場所は五階です。')).toEqual(['会議は三時です。', '場所は五階です。'])
  })
})

/** What a look-up of these words shows of what was said. */
function looked(said: readonly string[], query: string): string {
  const told = history(
    said.flatMap((text) => [user(text), assistant('Noted.')]),
    turns(0, 20),
  )
  return lookUp(told, { query }, { tokens: 1_000, estimator: builtInEstimator }).text
}

describe('a look-up finds', () => {
  it.each<readonly [string, string, readonly string[]]>([
    [
      'an Arabic word with and without its article and ending',
      'البضاعة التالفة تعود على حسابنا، والكراتين لينة.',
      ['بضاعة', 'تالف', 'حساب', 'بالبضاعة', 'كراتين'],
    ],
    ['a Hindi word in another form', 'टूटे माल के डिब्बे नरम हैं।', ['डिब्बा', 'डिब्बों', 'टूटा']],
    ['without accents, and with them', 'La reunión de Córdoba es el lunes, código 12.', ['reunion', 'Cordoba', 'codigo', 'reunión']],
    ['with accents where none were written', 'La reunion de Cordoba es el lunes.', ['reunión', 'Córdoba']],
    ['ё as е', 'Отчёт лежит у Фёдора.', ['отчет', 'отчёт', 'федор', 'ФЁДОР']],
    ['ß as ss', 'Wir liefern in die Gießener Straße.', ['Strasse', 'STRASSE', 'Giessener']],
    ['letters in full width', 'お客様番号はＡＢ１２３４です。', ['AB1234', 'ab1234']],
    ['a number in groups', 'Der Betrag ist 1.249,50 Euro.', ['1249', '1.249,50', '1.249']],
    ['a number without groups', 'The amount is 1249.50 in all.', ['1,249', '1.249,50', '1249']],
    ['what macOS wrote', 'Datei: Rücksendung-März.pdf'.normalize('NFD'), ['Rücksendung', 'ruecksendung März'.slice(13), 'Rucksendung', 'März']],
    ['what was asked as macOS writes it', 'Datei: Rücksendung.pdf', ['Rücksendung'.normalize('NFD')]],
    ['Hangul and kana in parts', '파일 이름은 배송주소.txt, ガイド.pdf입니다.'.normalize('NFD'), ['배송주소', 'ガイド']],
    ['Turkish letters of either case', 'İade tutarı 1.249 lira, Ödeme Şubat ayında. ISI', ['iade', 'IADE', 'İADE', 'ödeme', 'ÖDEME', 'şubat', 'ısı', 'TUTARI']],
    ['Korean words with other particles', '배송 주소는 강남대로 12입니다.', ['주소가', '배송지 주소', '주소를', '강남대로에서']],
    ['Arabic without the signs of its vowels', 'عُنْوَان التسليم شارع النيل، أحمد.', ['عنوان', 'احمد']],
    ['other forms of German words', 'Die Rechnungen wurden gestern storniert.', ['Rechnung stornieren', 'Stornierung']],
    ['other forms of Russian words', 'Заказы доставили вчера.', ['заказ доставка', 'доставить заказ']],
    ['other forms of Italian words', 'Le fatture sono state annullate.', ['fattura annullata']],
  ])('%s: %s', (_, said, queries) => {
    for (const query of queries) expect(looked([said], query), query).toContain(`> ${said}`)
  })
  it('nothing else: a short word is no other, and a version is no number', () => {
    expect(looked(['The port of the portal is open.'], 'ports portals porting')).toContain('port of the portal')
    for (const [said, query] of [
      ['Die Portale sind offen.', 'Porto'],
      ['Release 10.142.7 is out.', '10142'],
    ] as const)
      expect(looked([said], query), query).toMatch(/^Nothing found/)
  })
  it('a word itself before its other forms, however often those stand', () => {
    const forms = 'Rechnungen, Rechnungswesen, Rechnungen, Rechnungen.'
    const [exact, both] = ['Die Rechnung liegt bei.', 'Die Rechnung liegt bei den Rechnungen.']
    for (const query of ['Rechnung', 'Rechnung Kunde', 'die Rechnung prüfen'])
      for (const lines of [
        [forms, exact],
        [exact, forms],
        [forms, both, forms],
      ]) {
        const [best] = finished(
          rankPassages(
            lines.map((text, number) => ({ number, segments: [{ author: 'tool', text }] })),
            query,
          ),
        )
        expect(lines[best?.number ?? -1], query).toBe(lines.find((line) => line !== forms))
      }
  })
  it('places in the text as it is written', () => {
    const talk = 'Straße '.repeat(40).normalize('NFD')
    const said = `${talk}\nDer Schlüssel liegt bei Frau Größmann.\n${talk}`
    expect(looked([said], 'Groessmann Schlüssel'.replace('oe', 'o'))).toContain('> Der Schlüssel liegt bei Frau Größmann.')
  })
})

describe('a correction is known in many languages', () => {
  it.each([
    'Não, é a Rua do Sol 9.',
    'Corrijo: Rua do Sol 9.',
    'Correção: 9.',
    'Поправка: дом 9.',
    'Не 12, а 9.',
    'لا، الرقم 9.',
    'عفواً، 9.',
    'أقصد 9.',
    'नहीं, 9.',
    'माफ़ कीजिए, 9.',
    'माफ कीजिए, 9.',
    '9로 바꿔 주세요.',
    'Corrección: 9.',
    'Je me suis trompé, c’est 9.',
    'Ich korrigiere: 9.',
    'Hayır, 9 olacak.',
    'Não, 9.'.normalize('NFD'),
    'Plutôt 9.'.normalize('NFD'),
  ])('%s', (text) => {
    expect(takesBack(text)).toBe(true)
  })
  it.each(['قبل الغد', 'Это адрес доставки.', 'O endereço é este.', '주소는 강남대로입니다.', 'पता यह है।'])('%s is none', (text) => {
    expect(takesBack(text)).toBe(false)
  })
  it.each<readonly [string, string, string, readonly [string, string]]>([
    [
      'O endereço de entrega é Rua das Flores, 12.',
      'Não, agora é Rua do Sol 9, e fica assim para todos os pedidos.',
      'Qual é o endereço de entrega?',
      ['Flores', 'Sol'],
    ],
    ['배송 주소는 강남대로 12입니다.', '주소를 테헤란로 9로 바꿔 주세요.', '배송 주소가 뭐였죠?', ['강남대로', '테헤란로']],
  ])('%s %s', (fact, changed, question, values) => {
    for (const text of found([fact, changed], question, 'at once')) expect(lastOf(text, values)).toBe(values[1])
  })
})
