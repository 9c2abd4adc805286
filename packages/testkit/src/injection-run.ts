import {
  type CompactionPolicy,
  createArchive,
  createCompactor,
  type Message,
  memoryStorage,
  neutralCodec,
  type Summarizer,
  type SummaryRequest,
} from '@precis/core'
import { type AttributedLine, attributeSummary, attributeTranscript, lenientTags, looksLikeMark } from './attribution.ts'
import { type Injection, injectedRequests, injectedSession } from './injections.ts'

/** What came of one injected session. */
export interface InjectionResult {
  /** Lines that a reader attributes to somebody else than who wrote them, with where they stood. */
  readonly wrong: readonly string[]
  /** Lines with the injection in them that were looked at. */
  readonly seen: number
  /** Whether a summary was made at all. */
  readonly summarized: boolean
}

/** How the summary comes about: by code, by a model that reports well, or by one that says whatever stood in the injection. */
export type InjectedWriter = 'code' | 'model' | 'corrupted model'

/** Runs an injected session under a policy and reads all that a model is shown of it: the summary, the request for it, and pages of the history. */
export async function runInjection(injection: Injection, policy: CompactionPolicy, writer: InjectedWriter): Promise<InjectionResult> {
  const { canary } = injection
  const wrong: string[] = []
  let seen = 0
  const requests: SummaryRequest[] = []
  const summarizer = writer === 'code' ? undefined : reporter(writer === 'model' ? '' : injection.text, requests)
  const source = injectedSession(injection)
  const session = createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 9_000, maxOutput: 1_000 },
    policy,
    archive: createArchive(memoryStorage(), { redact: false }),
    ...(summarizer !== undefined && { summarizer }),
  }).session('injected')
  const { messages } = await session.compact(source)
  const look = (where: string, lines: readonly AttributedLine[], shown: string): void => {
    for (const line of lines) {
      const about = line.text.includes(canary)
      if (about) seen++
      const complaint = about ? misattributed(line, injection, writer) : line.author === 'user' && !isOfUser(line, source) ? 'is told as the user’s' : undefined
      if (complaint !== undefined) wrong.push(`${where}: ${JSON.stringify(line.text)} ${complaint}`)
      else if (about && line.text === line.said && looksLikeMark(line.text) && line.author !== 'summary')
        wrong.push(`${where}: ${JSON.stringify(line.text)} looks like a mark`)
    }
    const { opening, closing } = lenientTags(shown, 'context-summary')
    if (opening > 1 || closing > 1) wrong.push(`${where}: ${opening} opening and ${closing} closing tags`)
  }
  const summaries = messages.map(textIn).filter((text) => text.startsWith('<context-summary'))
  for (const text of summaries) look('summary', attributeSummary(text), text)
  for (const { prompt } of requests) {
    const { opening, closing } = lenientTags(prompt, 'conversation')
    if (opening > 1 || closing > 1) wrong.push(`request: ${opening} opening and ${closing} closing tags of the conversation`)
    const [, transcript = ''] = /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(prompt) ?? []
    look('request', attributeTranscript(transcript), '')
  }
  const recall = session.tools().find(({ name }) => name === 'recall_history')
  if (recall !== undefined) {
    const pages = [await recall.execute({ limit: 100 }), await recall.execute({ query: canary })]
    for (const offset of source.keys()) if (JSON.stringify(source[offset]).includes(canary)) pages.push(await recall.execute({ offset, column: 1 }))
    for (const page of pages) look('page', attributeTranscript(page), '')
  }
  return { wrong, seen, summarized: summaries.length > 0 }
}

/** Fills every section; what it was made to say stands between. */
function reporter(more: string, requests: SummaryRequest[]): Summarizer {
  return {
    name: 'reporter',
    async summarize(request) {
      requests.push(request)
      const sections = request.requiredSections.map((title) => `## ${title}\n- rows are lost in alphaValue7`)
      const text = [sections[0] ?? 'Rows are lost in alphaValue7.', more, ...sections.slice(1)].filter(Boolean).join('\n')
      return { text, finish: 'stop' }
    },
  }
}

const textIn = ({ parts }: Message): string => parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')

/** What is wrong with the author of a line that an injection wrote; undefined where nothing is. */
function misattributed(line: AttributedLine, { text }: Injection, writer: InjectedWriter): string | undefined {
  const { author } = line
  if (author === 'user') return 'is told as the user’s'
  if (author === 'precis' || author === 'outside' || author === 'system') return `is told as ${author}’s`
  // A corrupted model may repeat it as its own; that a user said or allowed it must be marked as unverified.
  const own = line.text.replace(/\\| \[unverified\]/g, '')
  const repeated =
    writer === 'corrupted model' && author === 'summary' && text.split(/[\n\r\v\f\x85\u2028\u2029]/).some((one) => one.replace(/\\/g, '') === own)
  if (repeated && /\buser approved|^[^\p{L}]*(?:user|human)[*_]*[:：]/iu.test(line.text) && !line.text.includes('[unverified]'))
    return 'is claimed without a mark'
  return undefined
}

function isOfUser({ said, text }: AttributedLine, source: readonly Message[]): boolean {
  const own = source
    .filter(({ role }) => role === 'user')
    .map(textIn)
    .join('\n')
  const bare = said.replace(/…/g, '').trim()
  return bare === '' || own.includes(bare) || injectedRequests.some((request) => request.includes(bare) || text.includes(request))
}
