import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { type Numbered, rankPassages } from '../../src/recall/search.ts'
import { piecesOf, stemOf, termsOf } from '../../src/recall/words.ts'

const texts = (...list: readonly string[]) => list.map((text, number) => ({ number, segments: [{ author: 'tool', text }] }))
const ranked = (messages: readonly Numbered[], query: string) => finished(rankPassages(messages, query))
const best = (query: string, ...list: readonly string[]) => ranked(texts(...list), query)[0]?.number

describe('words', () => {
  it.each([
    ['retryCount_v2', ['retry', 'count', 'v2']],
    ['HTTPServer src/module-3.ts', ['http', 'server', 'src', 'module', '3', 'ts']],
    ['Größe ПОРТ', ['grosse', 'порт']],
    ['주소가 환불번호를', ['주소', '환불', '불번', '번호']],
    ['発行番号', ['発行', '行番', '番号']],
    ['Ulvertonのスキャン', ['ulverton', 'のス', 'スキ', 'キャ', 'ャン']],
    ['サーバー3台', ['サー', 'ーバ', 'バー', '3', '台']],
    ['读取getUserName的结果', ['读取', 'get', 'user', 'name', '的结', '结果']],
    ['Ulverton의 스캔 30개를', ['ulverton', '의', '스캔', '30', '개를']],
  ])('%s is taken apart', (text, expected) => {
    expect(piecesOf(text)).toEqual(expected)
  })
  it.each([
    ['cache', 'caches', 'cached', 'caching'],
    ['retry', 'retries', 'retried', 'retrying'],
    ['switch', 'switches', 'switched'],
    ['run', 'runs', 'running'],
    ['file', 'files', 'filed', 'filing'],
    ['migrate', 'migration', 'migrations', 'migrating'],
    ['settle', 'settled', 'settling'],
  ])('%s, %s, …: one stem', (...forms) => {
    expect(new Set(forms.map(stemOf)).size).toBe(1)
  })
  it.each(['status', 'this', 'analysis', 'bus', 'red', 'ring', 'string', 'process'])('%s keeps its own', (word) => {
    expect(stemOf(word).length).toBeGreaterThan(Math.min(3, word.length) - 1)
    expect(stemOf(word).startsWith(word.slice(0, 3))).toBe(true)
  })
  it('a question’s own words count only where there are no others', () => {
    expect(termsOf('what is the port?').map(({ stem }) => stem)).toEqual(['port'])
    expect(termsOf('who is it').length).toBe(3)
    expect(termsOf('PRE-205').map(({ stem, isName }) => [stem, isName])).toEqual([
      ['pre-205', true],
      ['pre', false],
      ['205', false],
    ])
    expect(termsOf('PRE-205の番号は').flatMap(({ stem, isName }) => (isName || stem === 'の' ? [stem] : []))).toEqual(['pre-205'])
  })
})

describe('the best passage', () => {
  it.each<readonly [string, string, number, readonly string[]]>([
    ['by another form of its words', 'switching off retries', 1, ['the switch is new', 'Retry was switched off by hand', 'off we go']],
    ['by an identifier’s parts', 'release token', 1, ['the release is near', "const releaseToken = 'zeta'", 'a token']],
    ['by a name as it is written', 'E4711', 2, ['E4710 again', 'E47 11', 'E4711: ledger checksum mismatch']],
    ['by the rare word, not the frequent one', 'ledger error', 3, ['error', 'error error', 'an error', 'ledger closed', 'error']],
    ['by all words rather than one of them often', 'port of the gateway', 1, ['port port port port', 'the gateway has the port 81', 'x']],
    ['word for word before words alone', 'not found in cache', 1, ['found the cache, not in it, in a cache', 'key not found in cache', 'x']],
    ['the newest of equals', 'budget', 2, ['the budget is 5', 'x', 'the budget is 7']],
    ['where no spaces are written', '番号', 1, ['名前は山田', '契約番号は42', 'x']],
    ['by a name that another script touches', 'Ulvertonの鍵', 1, ['鍵は金庫', '今のulvertonは休み', 'Ulvertonian']],
    ['by a number that another script touches', '30개', 2, ['개', '130개를', '모두 30개를']],
  ])('%s', (_, query, expected, list) => {
    expect(best(query, ...list)).toBe(expected)
  })
  it('is a line of a long output, and a piece of a long line', () => {
    const noise = Array.from({ length: 500 }, (_, at) => `line ${at}: all is well`)
    const [found] = ranked(texts([...noise, 'the shard kappa-9 is broken', ...noise].join('\n')), 'which shard is broken')
    expect(found).toMatchObject({ start: noise.join('\n').length + 1 })
    const long = `${'hay '.repeat(50_000)}needle${' hay'.repeat(50_000)}`
    const [piece] = ranked(texts(long), 'needle')
    expect(long.slice(piece?.start, piece?.end)).toContain('needle')
    expect((piece?.end ?? 0) - (piece?.start ?? 0)).toBeLessThanOrEqual(400)
  })
  it('of a long text comes in pieces, at its place', () => {
    for (const hay of ['hay ', 'hay\n', 'hay']) {
      const long = `${hay.repeat(50_000)} the needle of kappa-9 ${hay.repeat(50_000)}`
      const work = rankPassages(texts(long), 'needle kappa-9')
      let pieces = 0
      for (let next = work.next(); ; next = work.next(), pieces++) {
        if (next.done !== true) continue
        const [piece] = next.value
        expect(long.slice(piece?.start, piece?.end)).toContain('kappa-9')
        break
      }
      expect(pieces).toBeGreaterThan(3)
    }
  })
  it('of many passages comes in pieces to the end, and is what it was at once', () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${String.fromCharCode(97 + (at % 26))}x${at}`)
    const lines = Array.from({ length: 12_000 }, (_, at) => `${words[at % 30]} and ${words[(at * 7) % 30]} stand in line ${at}`)
    const work = rankPassages(texts(...Array.from({ length: 12 }, (_, at) => lines.slice(at * 1_000, at * 1_000 + 1_000).join('\n'))), words.join(' '))
    let pieces = 0
    for (let next = work.next(); next.done !== true; next = work.next()) pieces++
    // Twelve of texts, and two for each thousand of what was found in them.
    expect(pieces).toBeGreaterThanOrEqual(12 + 24)
    const found = ranked(texts(...lines), 'worda wordd 4711')
    const sorted = found.toSorted((a, b) => b.score - a.score || b.number - a.number)
    expect(found.map(({ number }) => number)).toEqual(sorted.map(({ number }) => number))
    expect(found.length).toBe(200)
  })
  it('is none where no word stands', () => {
    expect(ranked(texts('a', 'b'), 'zebra')).toEqual([])
    expect(ranked(texts('a', 'b'), '  ')).toEqual([])
    expect(ranked(texts('overcast'), 'casting')).toEqual([])
  })
})
