import { assistant, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { builtInEstimator, type Message } from '../../src/index.ts'
import { askedAboutInPieces } from '../../src/recall/asked-about.ts'
import { found, turns } from './said-later.ts'

const names = ['Varron', 'Vorley', 'Vendel', 'Vistula', 'Vulmer', 'Vexford']
const all = (stated: (at: number, name: string) => string): readonly string[] => names.map((name, at) => stated(at, name))
const namesIn = (text = ''): readonly string[] => names.filter((name) => text.includes(name))
const aside = ' The clerk wrote it down in the green ledger beside the window, as he said on the telephone before lunch.'.repeat(6)

describe('what differs by a number from others that a user stated', () => {
  it('comes back, though a newer one of another number is shown', () => {
    const bakery = (at: number, name: string): readonly Message[] => [
      user(`The access code of the bakery number ${4100 + at} is ${name}.${aside}`),
      assistant('Noted.'),
    ]
    const told = history(
      ...names.flatMap((name, at) => [bakery(at, name), turns(at * 5, at * 5 + 5)]),
      user('What is the access code of the bakery number 4100?'),
    )
    const newest = told.findLastIndex(({ parts: [part] }) => part?.type === 'text' && part.text.includes('Vexford'))
    const options = { left: new Set(Array.from({ length: newest }, (_, at) => at)), tokens: 400, estimator: builtInEstimator }
    const unasked = finished(askedAboutInPieces(told, told.slice(newest), options))?.text
    expect(namesIn(unasked)).toContain('Varron')
  })
  it('comes back where others have that number beside another word', () => {
    const shelf = (at: number, name: string): string => `The access code of the bakery number ${at} is ${name}, and item 1 of it lies in drawer 14.${aside}`
    const [unasked = ''] = found(all(shelf), 'What is the access code of the bakery number 1?', 'later', { shown: [user(shelf(5, 'Vexford'))] })
    expect(namesIn(unasked)).toContain('Vorley')
  })
  it.each<readonly [string, (at: number, name: string) => string, string]>([
    ['a port', (at, name) => `Port ${8080 + at} belongs to the ${name} service.`, 'Which service does port 8080 belong to?'],
    ['a room', (at, name) => `The key of room ${at + 1}b hangs on the hook ${name}.`, 'On which hook does the key of room 1b hang?'],
    ['a date', (at, name) => `On 2027-03-${10 + at} we meet the ${name} board.`, 'Which board do we meet on 2027-03-10?'],
    ['an address', (at, name) => `The host 10.0.0.${7 + at} runs the ${name} job.`, 'Which job does the host 10.0.0.7 run?'],
    ['a version', (at, name) => `Version 1.2.${3 + at} of the parser removed the ${name} option.`, 'Which option did version 1.2.3 of the parser remove?'],
    ['in German', (at, name) => `Die Bestellung ${4100 + at} geht an die Filiale ${name}.`, 'An welche Filiale geht die Bestellung 4100?'],
    ['in Chinese', (at, name) => `${4100 + at}号面包店的门禁码是${name}。`, '4100号面包店的门禁码是什么？'],
  ])('comes back without the others: %s', (_, stated, asked) => {
    expect(namesIn(found(all(stated).slice(0, 4), asked)[0])).toEqual(['Varron'])
  })
  it('what was changed of the one that is asked about stands behind it, in front of others', () => {
    const order = (at: number, name: string): string => `The customer of order #${1200 + at} is ${name}.`
    const said = [...all(order), 'The customer of order #1201 is Zanzibar now.', order(4, 'Vulmer'), order(5, 'Vexford')]
    const [unasked = ''] = found(said, 'Who is the customer of order #1201?')
    expect(namesIn(unasked)).toEqual(['Vorley'])
    expect(unasked.indexOf('Zanzibar')).toBeGreaterThan(unasked.indexOf('Vorley'))
  })
  it.each<readonly [string, readonly string[], string, string]>([
    [
      'where the number was changed',
      ['The harbor gateway answers on port 8123, behind nginx.', 'The harbor gateway answers on port 9456 since Tuesday.'],
      'Does the harbor gateway answer on port 8123?',
      '9456',
    ],
    [
      'without the number',
      ['The access code of the bakery number 4102 is USER-1002.', 'The access code of the bakery is USER-2000 now.'],
      'What is the access code of the bakery number 4102?',
      'USER-2000',
    ],
  ])('what was said last still comes with it: %s', (_, said, asked, newer) => {
    const [unasked = ''] = found(said, asked)
    expect(unasked.indexOf(newer)).toBeGreaterThan(unasked.indexOf(said[0] ?? ''))
    // Nothing older comes back alone where the newer one is shown.
    const [behind = newer] = found(said, asked, 'later', { shown: [user(said[1] ?? '')] })
    expect(behind === '' || behind.includes(newer)).toBe(true)
  })
})
