import type { CompactionEvent, Exporter } from '@precis/core'
import { aFlag, anObject, checkGiven, oneOf, type ValueRules } from '@precis/core/adapters'

/** What is printed, where, and how. */
export interface ConsoleExporterOptions {
  /** `line`: one line for a person. `json`: one JSON object a line, for a machine. Default `line`. */
  readonly format?: 'line' | 'json'
  /** Least severity that is printed. Default `info`. */
  readonly least?: CompactionEvent['severity']
  /** Where to. Default: standard error, so that a program's own output stays its own; `console.error` where there is none, as in browsers. */
  readonly stream?: Stream
  /** Default: only where the stream is a terminal and NO_COLOR is not set. */
  readonly colors?: boolean
}

/** What we use of a writable stream. */
interface Stream {
  write(text: string): unknown
  on?(event: 'error', listener: () => void): unknown
  readonly isTTY?: boolean | undefined
}

const rank = { info: 0, warning: 1, high: 2 } as const
const paint = { info: '\u001b[2m', warning: '\u001b[33m', high: '\u001b[31m' } as const
const plain = '\u001b[0m'

const rules: ValueRules<ConsoleExporterOptions> = {
  format: oneOf('line', 'json'),
  least: oneOf('info', 'warning', 'high'),
  stream: anObject('write process.stdout, or an object with write(text)', 'write'),
  colors: aFlag,
}

/** Prints events. A closed pipe ends the printing, never the program. @throws InvalidConfigurationError for options that cannot be meant. */
export function consoleExporter(options: ConsoleExporterOptions = {}): Exporter {
  checkGiven('consoleExporter', options, rules, { level: 'least', severity: 'least', json: "format: 'json'", color: 'colors' })
  const stream = options.stream ?? standardError()
  const colors = options.colors ?? (stream.isTTY === true && globalThis.process?.env['NO_COLOR'] === undefined)
  const pipe = pipeOf(stream)
  return {
    name: 'console',
    export(events) {
      for (const event of events) {
        if (!pipe.open || rank[event.severity] < rank[options.least ?? 'info']) continue
        const line = options.format === 'json' ? JSON.stringify(event) : renderLine(event, colors)
        try {
          stream.write(`${line}\n`)
        } catch {
          pipe.open = false
        }
      }
    },
  }
}

function standardError(): Stream {
  const { process } = globalThis as { readonly process?: { readonly stderr?: Stream } }
  return process?.stderr ?? { write: (line) => console.error(line.trimEnd()) }
}

/** Whether a stream still takes what is written. */
interface Pipe {
  open: boolean
}

const pipes = new WeakMap<Stream, Pipe>()

/** One listener for each stream, however many exporters print there: Node warns of more than ten. */
function pipeOf(stream: Stream): Pipe {
  const known = pipes.get(stream)
  if (known !== undefined) return known
  const pipe = { open: true }
  pipes.set(stream, pipe)
  stream.on?.('error', () => {
    pipe.open = false
  })
  return pipe
}

function renderLine(event: CompactionEvent, colors: boolean): string {
  const attributes = Object.entries(event.attributes)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? shown(value) : value}`)
    .join(' ')
  const severity = event.severity === 'info' ? '' : ` ${event.severity.toUpperCase()}`
  const line = `${event.ts.slice(11, 23)} ${shown(event.session_id)} ${event.event.replace('compact.', '')}${severity} ${attributes}`
  return colors ? `${paint[event.severity]}${line}${plain}` : line
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal would obey
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** In quotes where it is not one plain word; what would move the cursor, change colors or begin a line is written out. */
function shown(text: string): string {
  if (!/[\s="]/.test(text) && text.search(controls) < 0) return text
  return JSON.stringify(text).replace(controls, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
