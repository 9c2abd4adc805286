// `npm run evals -- recorded`: summaries that real agents wrote at real compactions. What do they keep, alone and beside our record?
// And does the summary path take them: parsed, accepted, grounded, carried from one compaction to the next?
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { entitiesOf, ruler } from '@precis/cli/replay'
import { createCompactor, type Message, recordOf, type Summarizer } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { figuresOf, type Scored } from './aggregate.ts'
import { scoreOf } from './measures/score.ts'
import { type Cut, needlesOf } from './sessions/cuts.ts'
import { neutral, type Recorded, readTranscripts, textOf, tokensOf } from './sessions/transcripts.ts'
import { baselines, type Strategy } from './ways/baselines.ts'
import { policy, precis } from './ways/strategies.ts'

interface Compaction extends Cut {
  readonly summary: string
}

/** Names of the next messages that are looked for. */
const future = 40

/** The stretch before each recorded compaction, with what the agent used afterwards. */
function compactionsOf(transcript: Recorded): readonly Compaction[] {
  let begin = 0
  return (transcript.compactions ?? []).flatMap(({ beforeMessage, summary }, at, all) => {
    const end = all[at + 1]?.beforeMessage ?? transcript.messages.length
    const prefix = transcript.messages.slice(begin, beforeMessage)
    begin = beforeMessage
    // The first message after a compaction is often the summary itself: it is no use of a name.
    const later = transcript.messages.slice(beforeMessage, Math.min(end, beforeMessage + future)).filter((message) => message.content !== summary)
    const needles = needlesOf(prefix, later, transcript.system ?? '', entitiesOf, Math.max(3, prefix.length * 0.2))
    const tokens = prefix.reduce((sum, message) => sum + tokensOf(textOf(message)), 0)
    return needles.length < 3 || summary === '' ? [] : [{ transcript, prefix, tokens, needles, summary }]
  })
}

/** Our record beside a recorded summary, of the same size again. */
function recordBeside(cut: Compaction): string {
  const messages = cut.prefix.map(neutral)
  const size = tokensOf(cut.summary)
  return recordOf(messages, [...messages.keys()], { budget: size, requests: Math.floor(size / 4), estimator: ruler, already: cut.summary }).text
}

const subjects: Readonly<Record<string, (cut: Compaction, tokens: number) => ReturnType<Strategy>>> = {
  'the recorded summary': (cut) => ({ texts: [cut.summary] }),
  'head + tail of outputs': (cut, tokens) => (baselines['head + tail of outputs, fitted'] as Strategy)(cut, tokens),
  'FIFO 75 % + bare list': (cut, tokens) => (baselines['FIFO 75 % + bare list'] as Strategy)(cut, tokens),
  'Précis, no model': (cut, tokens) => precis(cut, tokens),
  'the recorded summary and our record, twice the tokens': (cut) => ({ texts: [cut.summary, recordBeside(cut)] }),
  'Précis, no model, twice the tokens': (cut, tokens) => precis(cut, tokens * 2),
}

const transcripts = readTranscripts().filter((one) => (one.compactions ?? []).length > 0)
const cuts = transcripts.flatMap(compactionsOf)
console.log(`${cuts.length} recorded compactions of ${new Set(cuts.map((cut) => cut.transcript.id)).size} sessions`)
const rows: Record<string, unknown>[] = []
for (const [subject, run] of Object.entries(subjects)) {
  const scored: Scored[] = []
  for (const cut of cuts) {
    const tokens = tokensOf(cut.summary)
    scored.push({ session: cut.transcript.id, domain: cut.transcript.domain, score: scoreOf(cut, await run(cut, tokens), tokens) })
  }
  const { primary, interval, recall, inContext, passage, tailKept, used } = figuresOf(scored)
  rows.push({
    subject,
    primary,
    '95 %': interval.join('–'),
    'FRR / in context / passage': `${recall} / ${inContext} / ${passage}`,
    passage,
    'tail kept': tailKept,
    used,
  })
}
console.table(rows)

/** Every session compacted where it was, its own summaries as the model's answers, one after the other. */
const path: Record<string, unknown>[] = []
for (const transcript of transcripts) {
  const answers = (transcript.compactions ?? []).map(({ summary }) => summary)
  const failures: string[] = []
  let asked = 0
  const summarizer: Summarizer = {
    name: 'recorded',
    window: 10_000_000,
    summarize: async () => ({ text: answers[asked++] ?? '', finish: 'stop' }),
  }
  const session = createCompactor<Message>({
    codec: neutralCodec,
    estimator: ruler,
    limits: { contextWindow: 200_000 },
    policy: {
      ...policy,
      trigger: { ...policy.trigger, auto: false },
      summary: { ...policy.summary, tokens: { fraction: 0.1 }, style: 'narrative', author: 'model' },
    },
    summarizer,
    redact: false,
  }).session(transcript.id)
  const sizes: number[] = []
  let unsupported = 0
  for (const [at, { beforeMessage }] of (transcript.compactions ?? []).entries()) {
    const { report } = await session.compact(transcript.messages.slice(0, beforeMessage).map(neutral), { focus: 'everything' })
    if (asked !== at + 1) failures.push(`${at}: the model was asked ${asked} times`)
    if (report.outcome !== 'summarized') failures.push(`${at}: ${report.outcome}, ${report.warnings.join('; ')}`)
    asked = at + 1
    unsupported += report.quality?.unsupported.length ?? 0
    sizes.push(report.regions.after.summary)
  }
  path.push({
    session: transcript.id,
    compactions: sizes.length,
    'tokens of summary and record': sizes.join(', '),
    'names not in the source': unsupported,
    failures: failures.join('; ') || '–',
  })
}
console.table(path)
const results = join(import.meta.dirname, 'results')
mkdirSync(results, { recursive: true })
writeFileSync(join(results, 'recorded.json'), JSON.stringify(rows, null, 2))
