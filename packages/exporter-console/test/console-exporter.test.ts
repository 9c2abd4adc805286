import { spawn } from 'node:child_process'
import { type CompactionEvent, createCompactor, InvalidConfigurationError, neutralCodec } from '@precis/core'
import { consoleExporter } from '@precis/exporter-console'
import { exporterCases, generateHistory } from '@precis/testkit'
import { describe, expect, it, vi } from 'vitest'

const event = (severity: CompactionEvent['severity'] = 'info'): CompactionEvent => ({
  event: 'compact.trigger_decision',
  ts: '2026-01-02T03:04:05.678Z',
  session_id: 's1',
  severity,
  attributes: { action: 'compact', used: 1234, model: 'a model' },
})
const sink = (isTTY = false) => {
  const lines: string[] = []
  return { lines, isTTY, write: (text: string) => lines.push(text) }
}

describe('console exporter', () => {
  it.each(exporterCases)('$name', ({ run }) => run(() => consoleExporter({ stream: sink() })))
  it.each(exporterCases)('on a closed pipe: $name', ({ run }) =>
    run(() =>
      consoleExporter({
        stream: {
          write: () => {
            throw new Error('EPIPE')
          },
        },
      }),
    ),
  )
  it('prints to the console where there is no process, as in Cloudflare Workers', () => {
    const lines: unknown[] = []
    vi.spyOn(console, 'error').mockImplementation((line) => lines.push(line))
    vi.stubGlobal('process', undefined)
    try {
      consoleExporter().export([event()])
    } finally {
      vi.unstubAllGlobals()
      vi.restoreAllMocks()
    }
    expect(lines).toEqual(['03:04:05.678 s1 trigger_decision action=compact used=1234 model="a model"'])
  })
  it('listens once for the errors of a stream, however many exporters print there, and ends for all of them', () => {
    const listeners: (() => void)[] = []
    const stream = { ...sink(), on: (_event: 'error', listener: () => void) => listeners.push(listener) }
    const exporters = Array.from({ length: 12 }, () => consoleExporter({ stream }))
    expect(listeners).toHaveLength(1)
    listeners[0]?.()
    for (const exporter of exporters) exporter.export([event()])
    expect(stream.lines).toEqual([])
  })
  it('one line for a person', () => {
    const stream = sink()
    consoleExporter({ stream }).export([event(), event('high')])
    expect(stream.lines).toEqual([
      '03:04:05.678 s1 trigger_decision action=compact used=1234 model="a model"\n',
      '03:04:05.678 s1 trigger_decision HIGH action=compact used=1234 model="a model"\n',
    ])
  })
  it('a conversation’s id neither moves the cursor nor begins a line of its own', () => {
    const stream = sink()
    const evil = { ...event(), session_id: 'chat\u001b]0;owned\u0007\n00:00:00.000 admin finished', attributes: { model: 'm\u001b[2J', at: 'a\u009b1m' } }
    consoleExporter({ stream }).export([evil])
    expect(stream.lines).toEqual([
      '03:04:05.678 "chat\\u001b]0;owned\\u0007\\n00:00:00.000 admin finished" trigger_decision model="m\\u001b[2J" at="a\\u009b1m"\n',
    ])
  })
  it('JSON lines for a machine', () => {
    const stream = sink(true)
    consoleExporter({ stream, format: 'json' }).export([event()])
    expect(JSON.parse(stream.lines[0] ?? '')).toEqual(event())
  })
  it('colors on a terminal only, and only what is asked for', () => {
    const [terminal, pipe] = [sink(true), sink()]
    consoleExporter({ stream: terminal, colors: true }).export([event('warning')])
    consoleExporter({ stream: pipe, least: 'warning' }).export([event(), event('warning')])
    expect(terminal.lines[0]).toContain('\u001b[33m')
    expect(pipe.lines).toHaveLength(1)
    expect(pipe.lines[0]).not.toContain('\u001b')
  })
  it('a stream that throws ends the printing, not the program', () => {
    let writes = 0
    const exporter = consoleExporter({
      stream: {
        write: () => {
          writes++
          throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
        },
      },
    })
    exporter.export([event(), event()])
    expect(writes).toBe(1)
  })
  it('survives a reader that goes away', async () => {
    const program = `
      import { consoleExporter } from '@precis/exporter-console'
      const exporter = consoleExporter({ stream: process.stdout, format: 'json' })
      const one = ${JSON.stringify(event())}
      for (let at = 0; at < 200; at++) { exporter.export(Array(200).fill(one)); await new Promise((resolve) => setImmediate(resolve)) }
      process.stderr.write('finished')
    `
    const child = spawn(process.execPath, ['--conditions=@precis/source', '--input-type=module', '-e', program], {
      cwd: new URL('..', import.meta.url).pathname,
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect([code, said]).toEqual([0, 'finished'])
  })
  it('prints a whole compaction', async () => {
    const stream = sink()
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, exporters: [consoleExporter({ stream })] })
    await compactor.session('s').beforeModelCall(generateHistory(3, { turns: 20 }))
    await compactor.shutdown()
    expect(stream.lines.join('')).toMatch(/trigger_decision[\s\S]*summary_created[\s\S]*finished outcome=/)
  })
  it.each([
    [{ format: 'JSON' }, 'format is "JSON"; write "line" or "json"'],
    [{ least: 'warn' }, 'least is "warn"; write "info", "warning" or "high"'],
    [{ stream: 'stdout' }, 'stream is a text; write process.stdout'],
    [{ colors: 'no' }, 'colors is "no"; expected true or false'],
    [{ level: 'high' }, 'unknown option "level" of consoleExporter; write least'],
    ['json', 'consoleExporter is a text; expected an object with format, least, stream, colors'],
  ])('%o is refused, with what to write', (options, words) => {
    expect(() => consoleExporter(options as never)).toThrow(InvalidConfigurationError)
    expect(() => consoleExporter(options as never)).toThrow(words)
  })
})
