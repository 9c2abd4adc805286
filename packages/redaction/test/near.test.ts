import { createRedactor } from '@precis/redaction'
import { describe, expect, it } from 'vitest'
import { commandRules } from '../src/commands.ts'
import { promiseOf, promising } from '../src/names.ts'
import { type NearRule, nearRule, together } from '../src/near.ts'
import { passwordRules } from '../src/passwords.ts'
import { phraseRules } from '../src/phrases.ts'
import { keyRules, placeRules } from '../src/places.ts'
import { wordFinder } from '../src/words.ts'

describe('words are found in one look', () => {
  const look = wordFinder([['pass', 'pw'], ['token'], [':a']])
  it('whatever their case, in order, at the ends too', () => {
    expect(look('Password PW=1 token, PASS pw')).toEqual([[0, 9, 21, 26], [14], undefined])
    expect(look('12345678:AAbb')).toEqual([undefined, undefined, [8]])
    expect(look('pw')).toEqual([[0], undefined, undefined])
    expect(look('')).toEqual([undefined, undefined, undefined])
  })
  it('and nothing that is only alike: other letters, other signs', () => {
    expect(look('p\u0430ss t0ken ;a \u212aey')).toEqual([undefined, undefined, undefined])
  })
})

describe('a rule that looks near its words finds what its pattern finds in the whole', () => {
  const rules: readonly NearRule[] = [...keyRules, ...placeRules, ...commandRules, ...passwordRules, ...phraseRules]
  const filler = 'const value = compute(input) // a line of code, 12:30:45, "name": "x"\n'.repeat(40)
  const long = 'aB3dE5gH7jK9'
  const samples = [
    (value: string) => `Authorization: Bearer ${value}\n`,
    (value: string) => `postgres://app:${value.slice(0, 150)}@db.internal:5432/app\n`,
    (value: string) => `mysql --password=${value.slice(0, 300)} -h db\n`,
    (value: string) => `<db:password kind="plain">${value.slice(0, 300)}</db:password>\n`,
    (value: string) => `x-internal-auth-token: ${value}\n`,
    (value: string) => `machine ${'h'.repeat(150)} login deploy password ${value.slice(0, 300)}\n`,
    (value: string) => `eyJhbGciOi${value}.eyJzdWIiOi${value}.${value}\n`,
    (value: string) => `client-key-data: ${value}\n`,
    (value: string) => `?X-Amz-Signature=${value}&x=1\n`,
    (value: string) => `session_id=${value}; Path=/\n`,
  ]
  const found = (rule: NearRule, text: string): readonly string[] => {
    const { tag, pattern, accept } = rule
    return [...text.matchAll(pattern)].flatMap((match) => {
      const { secret, quoted, bare } = match.groups ?? {}
      const value = secret ?? quoted ?? bare ?? match[0]
      return accept?.(value, quoted !== undefined) === false ? [] : [`${tag} ${match.index + match[0].lastIndexOf(value)} ${value}`]
    })
  }
  it.each([1, 3, 30, 300])('values of %i words, between other things', (words) => {
    const text = samples.map((sample, at) => filler.slice(at * 137) + sample(long.repeat(words))).join('')
    let seen = 0
    for (const rule of rules) {
      const near = [...together([nearRule(rule)]).find(text)]
        .filter((one) => one !== undefined)
        .map(({ tag, start, end }) => `${tag} ${start} ${text.slice(start, end)}`)
      expect(near).toEqual(found(rule, text))
      seen += near.length
    }
    expect(seen).toBeGreaterThanOrEqual(7)
  })
})

it('every name that promises something holds a word to look for', () => {
  const words = promising.split('|')
  const names =
    'password passwd passphrase pass pwd pw psk contrasena motdepasse senha pswd secret token apikey credential creds bearer jwt authtoken mnemonic connectionstring connstr authorization sid cookie session signature sig dbpasswd mytoken'
  for (const name of names.split(' ')) {
    expect(promiseOf([name]), name).not.toBe('nothing')
    expect(
      words.some((word) => name.includes(word)),
      name,
    ).toBe(true)
  }
})

it('many rules at once leave a text of a megabyte as it is, but for its secret', () => {
  const text = 'a plain line of a log without anything in it, 12:00:01 - ok\n'.repeat(18_000)
  const secret = ['gh', `p_${'a1B2'.repeat(9)}`].join('')
  const hidden = createRedactor()(`${text}token ${secret}\n${text}`)
  expect(hidden).not.toContain(secret)
  expect(hidden.replace(/\[github-token:[0-9a-f]{6}\]/, secret)).toBe(`${text}token ${secret}\n${text}`)
})
