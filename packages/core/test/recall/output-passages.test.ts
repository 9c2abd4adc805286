import { assistant, call, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { builtInEstimator, type Message } from '../../src/index.ts'
import { grownInBlock, isTitle } from '../../src/recall/blocks.ts'
import { lookUp } from '../../src/recall/look-up.ts'

const look = (history: readonly Message[], query: string) => lookUp(history, { query }, { tokens: 1_000, estimator: builtInEstimator })
let id = 0
const asked = (tool: string, input: object, output: string): readonly Message[] => {
  id++
  return [call(tool, `c${id}`, input), result(`c${id}`, output, { tool })]
}
const noise = (from: number): string => Array.from({ length: 30 }, (_, at) => `    - row "Widget ${from + at} in stock" [ref=e${from + at}]`).join('\n')
const page = (url: string, body: readonly string[]): readonly Message[] =>
  asked(
    'browser_navigate',
    { url },
    `- Page URL: ${url}\n- navigation [ref=e2]:\n  - link "Overview" [ref=e3]\n  - link "Reports" [ref=e4]\n- main:\n${body.map((line) => `    - ${line}`).join('\n')}\n${noise(100)}`,
  )

describe('a look-up of what an output says', () => {
  const filler = 'generic: Rated by two hundred customers who bought it in the last twelve months and were asked for their opinion by letter'
  const shop = ['Basalt Lamp', 'Birch Desk', 'Cobalt Chair', 'Delta Kettle'].flatMap((name, at) =>
    page(`https://lumena.example/p/${name.toLowerCase().replace(' ', '-')}`, [`heading "${name}" [level=1] [ref=e9]`, filler, `generic: €${60 + at}.90`]),
  )
  it('shows the price below the heading, which has no word of the question', () => {
    for (const query of ['price of Basalt Lamp lumena.example', 'Basalt Lamp price', 'how expensive is the Basalt Lamp at lumena.example'])
      expect(look(shop, query).text).toContain('€60.90')
    expect(look(shop, 'Cobalt Chair cost').text).toContain('€62.90')
  })

  it('shows a price of one of many pages, whose names other passages have all', () => {
    const sites = ['lumena.example', 'northshop.example', 'kaufhaus.example', 'tiendas.example', 'depot.example']
    const names = ['Basalt Lamp', 'Birch Desk', 'Cobalt Chair', 'Delta Kettle', 'Echo Speaker', 'Fern Planter', 'Glacier Fan', 'Harbor Clock']
    const opened = (url: string, title: string, body: readonly string[]): readonly Message[] => {
      const menu = Array.from({ length: 40 }, (_, at) => `    - link "Shelf ${at}" [ref=e${at}]`).join('\n')
      const all = body.map((line) => `    - ${line}`).join('\n')
      return asked('browser_navigate', { url }, `await page.goto('${url}');\n- Page URL: ${url}\n- Page Title: ${title}\n${menu}\n${all}\n${noise(100)}`)
    }
    const pages = names.flatMap((name, row) =>
      sites.flatMap((site, column) => [
        ...opened(`https://${site}/search?q=${name.replace(' ', '+')}`, `Search ${name}`, [`link "${name}"`]),
        ...opened(`https://${site}/p/${name.toLowerCase().replace(' ', '-')}`, `${name} – ${site}`, [
          `heading "${name}" [level=1]`,
          'text: "Ships in 2 days"',
          `generic: €${100 + row * 10 + column}.90`,
        ]),
      ]),
    )
    const history = [user(`Compare the prices of ${names.join(', ')} on ${sites.join(', ')}. Tell me the cheapest site for each, and its price.`), ...pages]
    for (const [row, name] of names.entries())
      for (const [column, site] of sites.entries()) {
        const { text } = lookUp(history, { query: `${name} ${site} price` }, { tokens: 400, estimator: builtInEstimator })
        expect(text).toContain(`€${100 + row * 10 + column}.90`)
      }
  })

  const columns = ['id bigint primary key', 'ord_ref text not null', 'created_at timestamptz default now()', 'region text', 'month date', 'note text']
  const schema = (table: string, last: string): readonly Message[] =>
    asked(
      'run_sql',
      { query: `\\d ${table}` },
      `CREATE TABLE ${table} (\n${[...columns, last].map((one) => `  ${one}`).join(',\n')}\n);\n${'-- end\n'.repeat(40)}`,
    )
  it('shows a table’s columns down to the one that is asked for', () => {
    const tables = [...schema('shipments', 'wgt_g_9 int'), ...schema('payments', 'amt_cents_5 bigint'), ...schema('refunds', 'dur_min_3 int')]
    for (const query of ['CREATE TABLE shipments', 'CREATE TABLE shipments columns']) expect(look(tables, query).text).toContain('wgt_g_9')
  })

  const ids = Array.from({ length: 12 }, (_, at) => 71_003 + at * 137)
  const links = ids.map((one) => `link "Order ${one}" [ref=e${one % 977}]: /orders/${one}`)
  const orders = [
    ...page('https://admin.example/orders', [
      'row "Order Customer State"',
      ...ids.map((one, at) => `row "${one} Customer ${at} ${at === 4 ? 'on hold' : 'shipped'} since week ${at}"`),
    ]),
    ...ids.flatMap((one) =>
      page(`https://admin.example/orders/${one}`, [...links, `heading "Order ${one}" [level=1]`, filler, `generic: "Total: ${one % 900},50 EUR"`]),
    ),
  ]
  it('shows the row of an order rather than the links to it', () => {
    expect(look(orders, `status of order ${ids[4]}`).text).toContain('on hold since week 4')
  })
  it('shows the total on its page, not what stands near a link to it on the pages of others', () => {
    const { text } = look(orders, `Order ${ids[7]} total`)
    expect(text).toContain(`Total: ${(ids[7] as number) % 900},50 EUR`)
    for (const other of ids) if (other !== ids[7]) expect(text).not.toContain(`Total: ${other % 900},50 EUR`)
  })

  it('knows a line by what the output was asked for', () => {
    const cities = ['Aarhus', 'Bilbao', 'Cork', 'Dresden', 'Espoo', 'Faro']
    const files = ['Q1', 'Q2', 'Q3', 'Q4'].flatMap((quarter, at) =>
      asked('read_file', { path: `stock/${quarter}.csv` }, `depot,pallets\n${cities.map((city, place) => `${city},${at * 100 + place}`).join('\n')}`),
    )
    expect(look(files, 'pallets in Cork stock/Q3.csv').text).toContain('Cork,202')
  })
  it('goes on to the cause below the line of an error', () => {
    const log = (service: string, limit: number): readonly Message[] => {
      const lines = Array.from({ length: 30 }, (_, at) => `INFO ${service} request ${at} done`)
      const trace = [`ERROR ${service} worker crashed`, ...[3, 9, 12].map((at) => `    at async acquireFromPool (/srv/app/pool-${at}.js:40:11)`)]
      return asked('exec', { cmd: `logs ${service}` }, [...lines, ...trace, `    caused by: too many clients, limit is ${limit}`, ...lines].join('\n'))
    }
    expect(look([...log('billing', 97), ...log('fleet', 98)], 'cause of the crash of the billing worker').text).toContain('limit is 97')
  })
  it('is no longer for it: one passage is as long as a long line with what stands around it', () => {
    const long = asked(
      'read_file',
      { path: 'notes.md' },
      `# Basalt Lamp\n${Array.from({ length: 90 }, (_, at) => `It stands on shelf ${at} of the hall.`).join('\n')}`,
    )
    const { text, tokens } = look([...long, assistant('Noted.')], 'Basalt Lamp')
    expect([text.includes('shelf 5 '), tokens < 200]).toEqual([true, true])
  })
})

describe('a passage of an output', () => {
  const lineOf = (text: string, line: string) => ({ start: text.indexOf(line), end: text.indexOf(line) + line.length })
  const grown = (text: string, line: string): string => {
    const place = lineOf(text, line)
    const { start, end } = grownInBlock(text, place, place, [])
    return text.slice(start, end)
  }
  it.each([
    ['a declaration, to the mark that closes it', 'a\nfn f() {\n  one\n\n  two\n}\nb', 'fn f() {', 'fn f() {\n  one\n\n  two\n}'],
    ['a key, to what is no longer below it', 'a:\n  b:\n    c: 1\nd: 2', '  b:', '  b:\n    c: 1'],
    ['a heading, to the next one', '# A\none\n\n## B\ntwo\n## C\n', '## B', '## B\ntwo'],
    ['a title that stands alone', 'Lamp\n\nNow only\n€5', 'Lamp', 'Lamp\n\nNow only\n€5'],
    ['any other line alone', 'one\ntwo\nthree', 'two', 'two'],
  ])('from %s', (_, text, line, expected) => {
    expect(grown(text, line)).toBe(expected)
  })
  it('takes what stands beside it, the best first, up to its length', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at} says nothing at all`)
    const text = lines.join('\n')
    const [own, near, far] = ['line 20 ', 'line 26 ', 'line 39 '].map((one) => lineOf(text, lines.find((line) => line.startsWith(one)) ?? '')) as [
      { start: number; end: number },
      { start: number; end: number },
      { start: number; end: number },
    ]
    expect(grownInBlock(text, own, own, [far, near])).toEqual({ start: own.start, end: near.end })
  })
  it('is no title where it leads elsewhere, or is the last', () => {
    for (const [text, line] of [
      ['- link "Orders":\n  - /url: /orders', '- link "Orders":'],
      ['a\n\n# End', '# End'],
      ['[Lamp](/lamp)\n\nx', '[Lamp](/lamp)'],
    ] as const)
      expect(isTitle(text, lineOf(text, line))).toBe(false)
  })
})

describe('an output and the call that it answers', () => {
  const epochs = (of: number) => Array.from({ length: 60 }, (_, at) => `epoch ${at} loss ${((1_000 - at * of) / 777).toFixed(5)}`).join('\n')
  const classes = Array.from({ length: 20 }, (_, at) => `class ${at} support ${at * 131}`).join('\n')
  const fits = Array.from({ length: 20 }, (_, at) => at + 1)
  const cell = (at: number) => ({ code: `model_${at} = fit(df, depth=${at}); print(evaluate(model_${at}))` })
  const said = (at: number) => `${epochs(at)}\n{'accuracy': 0.${7_000 + at * 37}, 'f1': 0.5}\n${classes}`
  const cells = [user('Fit each model and tell me its accuracy.'), ...fits.flatMap((at) => asked('python', cell(at), said(at)))]
  const blocksOf = (text: string): readonly string[] => text.split('\n\n')

  it('a value stands behind the code that it is the value of', () => {
    for (const at of fits)
      for (const query of [`model_${at} = fit(df, depth=${at}) accuracy`, `model_${at} accuracy`]) {
        const blocks = blocksOf(lookUp(cells, { query }, { tokens: 400, estimator: builtInEstimator }).text)
        const value = blocks.findIndex((one) => one.includes(`'accuracy': 0.${7_000 + at * 37}`))
        expect(value).toBeGreaterThan(0)
        expect(blocks[value - 1]).toContain(`calls python]\n> {"code":"model_${at} = fit(df, depth=${at})`)
      }
  })

  it('of calls made at once each output has its own', () => {
    const turn: readonly Message[] = [
      { role: 'assistant', parts: fits.map((at) => ({ type: 'tool-call', callId: `p${at}`, tool: 'python', input: JSON.stringify(cell(at)) })) },
      { role: 'tool', parts: fits.map((at) => ({ type: 'tool-result', callId: `p${at}`, tool: 'python', output: said(at) })) },
    ]
    for (const at of [2, 7, 13]) {
      const { text } = lookUp([user('Fit each model.'), ...turn], { query: `model_${at} accuracy` }, { tokens: 400, estimator: builtInEstimator })
      expect(text).toContain(`'accuracy': 0.${7_000 + at * 37}`)
    }
  })

  it('of an id that a server gives anew, the last call before the output is meant', () => {
    const anew = [2, 7, 13].flatMap((at) => [call('python', 'call_0', cell(at)), result('call_0', said(at), { tool: 'python' })])
    const { text } = look([user('Fit each model.'), ...anew], 'model_7 accuracy')
    expect(text).toContain("'accuracy': 0.7259")
    expect(blocksOf(text)[blocksOf(text).findIndex((one) => one.includes('0.7259')) - 1]).toContain('model_7 = fit')
  })

  it('a call whose words the passage has itself is not shown for it', () => {
    const read = asked('read_file', { path: 'src/ledger.ts' }, `// src/ledger.ts\nexport const timeoutMs = 1500 // of ledger\n${classes}`)
    expect(look([user('Read it.'), ...read], 'ledger timeoutMs').text).not.toContain('calls read_file')
  })
})
