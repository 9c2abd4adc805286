import { builtInEstimator, condense } from '@precis/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tracePassages } from '../../src/record/excerpts/stack-frames.ts'

const lines = (count: number, of: (at: number) => string): string => Array.from({ length: count }, (_, at) => of(at)).join('\n')
const noise = (count: number): string => lines(count, (at) => `ok ${at} - test number ${at}`)

const traces: Readonly<Record<string, readonly [text: string, wanted: readonly string[]]>> = {
  java: [
    `Exception in thread "main" java.lang.IllegalStateException: pool exhausted after 30 s\n${lines(60, (at) => `\tat com.acme.Layer${at}.call(Layer${at}.java:${100 + at})`)}\nCaused by: java.sql.SQLTimeoutException: no connection from db-7\n${lines(40, (at) => `\tat org.pg.Driver${at}.open(Driver${at}.java:${at})`)}\n\t... 41 more`,
    ['pool exhausted after 30 s', 'Layer0.java:100', 'Caused by: java.sql.SQLTimeoutException: no connection from db-7', 'Driver0.java:0'],
  ],
  python: [
    `Traceback (most recent call last):\n${lines(50, (at) => `  File "/app/mod_${at}.py", line ${at + 10}, in run_${at}\n    result = step_${at}(payload)`)}\nKeyError: 'customer_id'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "/app/main.py", line 9, in <module>\n    main()\nRuntimeError: import of batch 77 failed`,
    ["KeyError: 'customer_id'", 'mod_49.py', 'main.py', 'RuntimeError: import of batch 77 failed'],
  ],
  v8: [
    `TypeError: Cannot read properties of undefined (reading 'kind')\n${lines(40, (at) => `    at visit${at} (/repo/src/visit${at}.ts:${at + 3}:${at})`)}\n  [cause]: Error: unexpected token ';' at 41:7\n${lines(20, (at) => `      at lex${at} (/repo/src/lex${at}.ts:${at + 3}:${at})`)}`,
    ["TypeError: Cannot read properties of undefined (reading 'kind')", 'visit0.ts', "unexpected token ';' at 41:7"],
  ],
  ruby: [
    `app.rb:3:in 'fetch': key not found: :token (KeyError)\n${lines(30, (at) => `\tfrom lib/layer_${at}.rb:${at}:in 'call'`)}`,
    ['key not found: :token (KeyError)', 'layer_0.rb'],
  ],
}

describe('stack traces', () => {
  it.each(Object.entries(traces))('%s: a condensed output keeps the message, the nearest frames and the cause', (_, [trace, wanted]) => {
    const output = `${noise(150)}\n${trace}\n${noise(150)}`
    const short = condense(output, 300)
    for (const words of wanted) expect(short).toContain(words)
    expect(builtInEstimator.count(short)).toBeLessThanOrEqual(300)
    expect(builtInEstimator.count(short)).toBeGreaterThan(240)
  })
  it('a hundred of them leave room for the rest', () => {
    const output = `${noise(50)}\n${lines(100, (at) => `Error: number ${at} failed\n    at f${at} (/src/f${at}.ts:1:1)\n    at g${at} (/src/g${at}.ts:1:1)`)}\nSUMMARY_OF_RUN_77: see /var/log/run-77.log\n${noise(50)}`
    const short = condense(output, 400)
    expect(builtInEstimator.count(short)).toBeLessThanOrEqual(400)
    expect(short).toContain('Error: number 0 failed')
  })
  it('passages lie in order, apart, inside the text, whatever it is', () => {
    const line = fc.constantFrom(
      'Error: x',
      '    at f (/a.ts:1:2)',
      '  File "a.py", line 3',
      '    code()',
      '',
      'text',
      '\tfrom a.rb:1',
      '\t... 3 more',
      'Caused by: y',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.constantFrom('\n', '\r\n'), (all, end) => {
        const text = all.join(end)
        let before = -2
        for (const { start, end: stop } of tracePassages(text, () => true)) {
          expect(start).toBeGreaterThan(before + 1)
          expect(stop).toBeGreaterThanOrEqual(start)
          expect(stop).toBeLessThanOrEqual(text.length)
          before = stop
        }
      }),
    )
  })
})
