import { assistant, call, history, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { builtInEstimator } from '../../src/index.ts'
import { askedAboutInPieces } from '../../src/recall/asked-about.ts'
import { splitSentences } from '../../src/recall/questions.ts'
import { found, lastOf, turns } from './said-later.ts'

describe('what a user said later of what they said', () => {
  it.each<readonly [string, readonly string[], string, readonly [string, string]]>([
    [
      'with fewer words of the question',
      ['Also, the Grisley gateway listens on port 7463.', 'Please forget 7463 for the port of the Grisley gateway, 7182 is right.'],
      'Which port does the Grisley gateway listen on?',
      ['7463', '7182'],
    ],
    [
      'in one line with other things',
      [
        'Note that the Obeley gateway listens on port 8819.',
        'Go on with src/token-155.ts. Also, the Tumley office moves to Utrecht. The Tummark queue tries 81 times at most. The port of the Obeley gateway is 6936 now.',
      ],
      'Which port does the Obeley gateway listen on?',
      ['8819', '6936'],
    ],
    [
      'with another verb',
      ['The due date of the Hesdale audit is 2027-12-01.', 'I was wrong about the Hesdale audit: we have to hand it in by 2028-01-20.'],
      'What is the due date of the Hesdale audit?',
      ['2027-12-01', '2028-01-20'],
    ],
    [
      'in a line with a question',
      [
        'The folder of the Velupe exports is /srv/drop/z47.',
        'Update on the folder of the Velupe exports: /srv/exports/z39. Next: data/part-146.ts. Anything new there?',
      ],
      'What is the folder of the Velupe exports?',
      ['/srv/drop/z47', '/srv/exports/z39'],
    ],
    [
      'in a plain word',
      ['By the way, the color of the Ruskley banner is coral. Compare docs/part-124.ts.', 'Scrap what I said about the color of the Ruskley banner: indigo.'],
      'What is the color of the Ruskley banner?',
      ['coral', 'indigo'],
    ],
    [
      'of something that stands beside as much of something else',
      [
        'Also, the Mormark queue retries 94 times at most. Also, the retry limit of the Ithmere queue is 75.',
        'The retry limit of the Ithmere queue is no longer 75 but 46.',
      ],
      'How many times does the Ithmere queue retry?',
      ['75', '46'],
    ],
    [
      'with no word of the question that the first has not',
      [
        ...Array.from({ length: 12 }, (_, at) => `The number of contract ${at} is in the file.`),
        'Also, the port of the Wextova gateway is 7377. The number of the Lunholt contract has changed.',
        'Go on with src/part-115.log. Correction: the port of the Wextova gateway is 9201.',
      ],
      'What number do I put behind the colon to reach the Wextova gateway?',
      ['7377', '9201'],
    ],
    [
      'in a short number',
      ['The retry limit of the Lunby queue is 80. Go through docs/part-94.json.', 'Correction: the retry limit of the Lunby queue is 59.'],
      'What is the retry limit of the Lunby queue?',
      ['80', '59'],
    ],
  ])('%s', (_, said, question, values) => {
    for (const text of found(said, question)) expect(lastOf(text, values)).toBe(values[1])
  })
  it.each(['Sorry, make that 6957.', 'Oops, I meant 6957.', 'No, 6957.', 'Not 8111: 6957.', 'Nein, ich meinte 6957.'])('right behind it: %s', (taken) => {
    for (const text of found(['The port of the Lunley gateway is 8111.', taken], 'What is the port of the Lunley gateway?', 'at once'))
      expect(lastOf(text, ['8111', '6957'])).toBe('6957')
  })
  it.each<readonly [string, string, string, string]>([
    ['one word', 'Our office is in Ghent.', 'The office has moved, to Bruges of all places.', 'Where is our office?'],
    ['the one word of the question', 'our rent is 1,150', 'The landlord was here, from May on the rent is 1,290.', "What's our rent?"],
    ['a number', 'Leave out shelf 204, it is broken.', 'shelf 204 can be counted again, they mended it', 'Is shelf 204 broken?'],
    ['a value', 'We drive to Ghent in the old Volvo.', 'Sold the Volvo, we take the train.', 'How do we get to Ghent?'],
    [
      'a person',
      'Orders above 900 crowns go to Halvard for a look.',
      'Halvard has retired, orders above 900 go to Signe.',
      'Who looks at orders of more than 900 crowns?',
    ],
    ['German', 'Meine Schwester zieht am 3. März um.', 'Der Umzug meiner Schwester ist auf den 17. März verlegt.', 'Wann zieht meine Schwester um?'],
    ['the beginning of a word', 'Please indent everything with tabs.', 'the linter won, indentation is two spaces', 'With what do you indent?'],
    ['a French question', 'On prend le gîte près du lac.', 'Le gîte est complet, on dort à la ferme.', 'Quel gîte prend-on ?'],
    ['French', 'Le dîner chez Odile est à 20 h.', 'Odile a décalé, le dîner commence à 21 h 30.', 'À quelle heure est le dîner chez Odile ?'],
    ['Spanish', 'El electricista viene el lunes.', 'El electricista no puede, viene el jueves.', '¿Cuándo viene el electricista?'],
    [
      'what is named in a question right before it',
      'my crew on the day is Declan, he has a van',
      "Did I say Declan's getting a hip done? So that's him out. My niece meets me at every checkpoint.",
      "who's my crew on the day?",
    ],
    ['Japanese', '会議室は三階です。', '会議室が五階に変わりました。', '会議室は何階ですか？'],
    [
      'a polite request',
      'Send the report to desk@harrow.example.',
      'Could you send the report to watch@harrow.example instead?',
      'Where do you send the report?',
    ],
  ])('in other words, with %s in common', (_, first, changed, question) => {
    for (const text of found([first, changed], question)) expect(text.replaceAll('\n> ', ' ')).toContain(changed)
  })
  it.each([
    'scratch that, 90',
    'no wait, 90 does that work for you?',
    'hmm, rather 90 seconds',
    'ok 90 then',
    'on second thought 90',
    'nee, lieber 90 Sekunden',
    'finalement 90 secondes',
    'mejor 90',
    'いや、90秒で',
    '90',
  ])('right behind it, without a word of it: %s', (taken) => {
    for (const text of found(['The upload gives up after 45 seconds.', taken], 'After how many seconds does the upload give up?', 'at once'))
      expect(text).toContain(`> ${taken}`)
  })
  it('and where a tool has the name that was asked for, nothing that was said of another comes back', () => {
    const all = history(
      [
        user('Read the notes.'),
        call('read_file', 'c', { path: 'notes.md' }),
        result('c', 'The Aldander agent stays on version 10.14.7.', { tool: 'read_file' }),
      ],
      [user('The Fenmere agent stays on version 3.2.7.'), assistant('Noted.')],
      turns(0, 10),
      [user('The Fenmere agent goes to version 4.0.1.'), assistant('Noted.')],
      turns(100, 120),
      user('On which version does the Aldander agent stay?'),
    )
    const options = { left: new Set(all.slice(0, -1).keys()), estimator: builtInEstimator, tokens: 400 }
    const { text = '' } = finished(askedAboutInPieces(all, all.slice(-1), options)) ?? {}
    expect([text.includes('10.14.7'), text.includes('Fenmere')]).toEqual([true, false])
  })
  it('in a long line without spaces', () => {
    const talk = '昨日は雨が降っていて、みんなで映画を見ました。'.repeat(12)
    const [unasked] = found([`${talk}会議室は三階です。${talk}`], '会議室は何階ですか？', 'later', { tokens: 200 })
    expect(unasked).toContain('会議室は三階')
  })
  it('behind a day, an initial or a title a sentence goes on', () => {
    expect(splitSentences('Er kommt am 21. August. Dr. Okafor weiß es, Priya D. nicht. Es sind 46. Gut.')).toEqual([
      'Er kommt am 21. August.',
      'Dr. Okafor weiß es, Priya D. nicht.',
      'Es sind 46.',
      'Gut.',
    ])
  })
  it('of what stands beside it, and is shown with it', () => {
    const said = ['We sleep at the Aurora. The train leaves at 9:20.', 'The Aurora is full, we sleep at the Merlin.']
    for (const text of found(said, 'When does the train leave?')) expect(text).toContain('Merlin')
  })
  it('with a rare word that is not in the question, where others have more of that', () => {
    const first = 'Retry policy for the carrier calls: 3 attempts with backoff, then park it in the dead letter table.'
    const others = ['carriers.json', 'carriers.csv', 'carriers.xml', 'carriers.yaml', 'carriers.toml'].map((file) => `The list of carriers is in ${file} now.`)
    const changed = 'I looked at the parked rows this morning. Let it try eight times.'
    const talk = Array.from({ length: 12 }, (_, at) => `Drawer ${at} is tidy.`)
    for (const text of found([...talk, first, ...others, changed], 'how many attempts do carrier calls get before they go to the dead letter table?'))
      expect(lastOf(text, ['3 attempts', 'eight times'])).toBe('eight times')
  })
  it('a short number and a plain word are answers by themselves, of a user', () => {
    expect(found(['The retry limit of the Lunby queue is 59.'], 'What is the retry limit of the Lunby queue?')[0]).toContain('59')
    expect(found(['The color of the Ruskley banner is coral.'], 'What is the color of the Ruskley banner?')[0]).toContain('coral')
  })
  it('what was said later of something else stays where it is', () => {
    const [unasked = ''] = found(
      ['The port of the Lunley gateway is 8111.', 'The port of the Obeley gateway is 9222 now.', 'Sorry, go on with the next part instead.'],
      'What is the port of the Lunley gateway?',
    )
    expect([unasked.includes('8111'), unasked.includes('9222'), unasked.includes('Sorry')]).toEqual([true, false, false])
  })
  it('a statement in one line with a question is no question, nor is a former question worth more than it is', () => {
    const [wexstead, ...others] = ['Wexstead', 'Wexley', 'Aldric', 'Obetova', 'Kerfjord'].map((name, at) => `The ${name} deploys happen on day${at}.`)
    const said = [`By the way, ${wexstead} Next: src/part-106.log. Anything new there?`, ...others]
    expect(found(said, 'On which weekday do the Wexstead deploys happen?')[1]).toContain('day0')
    const asked = ['Does a gateway need anything?', 'The gateway of the harbor answers on port 8123.']
    const [, looked = ''] = found(asked, 'port of the gateway in the harbor')
    expect([looked.includes('8123'), looked.includes('Does a gateway')]).toEqual([true, false])
  })
  it('of several the newest is shown where there is little room', () => {
    const wrong = [8222, 8333, 8444].map((port) => `I was wrong about the Lunley gateway: it listens on ${port}${', as we have seen'.repeat(6)}.`)
    for (const text of found(['The port of the Lunley gateway is 8111.', ...wrong], 'What is the port of the Lunley gateway?', 'later', { tokens: 130 }))
      expect([text.includes('8444'), text.includes('8222')]).toEqual([true, false])
  })
  it('comes back where what it corrects is shown by what came back before', () => {
    const said = ['The port of the Lunley gateway is 8111.', 'I was wrong about the Lunley gateway: it listens on 6957.']
    const before = user('Earlier passages that the next message may be about.\n\n[message 0, user]\n> The port of the Lunley gateway is 8111.')
    expect(found(said, 'What is the port of the Lunley gateway?', 'later', { shown: [before] })[0]).toContain('6957')
  })
})
