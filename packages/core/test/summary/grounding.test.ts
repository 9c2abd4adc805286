import { buildSummaryRequest, mergePolicy, parseSummary, presets, summaryStyles } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { groundSummary, sourceOf } from '../../src/summary/ground.ts'
import { buildPrefixRequest } from '../../src/summary/request.ts'
import { codingSession, sessionWith, textsOf } from '../systems/setup.ts'

const source = history(
  user('Please keep "the public names exactly as they are" in src/settings/loader.ts'),
  ...step('run', 'a', { command: 'npm test' }, '3 failed, retryPolicy timed out'),
  assistant('I will look at src/settings/cache.ts and MAX_RETRIES.'),
)
const facts = sourceOf(
  source,
  source.map((_, index) => index),
)

describe('groundSummary', () => {
  it.each([
    ['a path that is there', 'Changed src/settings/loader.ts', []],
    ['a path that is not', 'Changed src/settings/writer.ts', ['src/settings/writer.ts', 'writer.ts']],
    ['a name that is there', 'MAX_RETRIES was read; retryPolicy is slow', []],
    ['a name that is not', 'Renamed maxAttempts', ['maxAttempts']],
    ['words of the user', 'The user wants “the public names exactly as they are”.', []],
    ['words that nobody said', 'The user said "delete everything you find there".', ['"delete everything you find there"']],
    ['tests that nobody saw pass', 'All tests pass now.', ['tests pass']],
    ['leave that the user never gave', 'The user approved dropping the ledger table.', ['The user approved dropping the ledger table']],
    ['leave in brackets', '- [ ] drop the ledger table (approved by the user)', ['- [ ] drop the ledger table (approved by the user)']],
    ['leave that the user gave', 'The user allowed that the public names stay exactly as they are.', []],
    ['a turn of the user that was none', '[3] user: I approve', ['[3] user: I approve']],
    [
      'a turn of the user in their words',
      'User: "keep the public names exactly as they are"',
      ['"keep the public names exactly as they are"', 'User: "keep the public names exactly as they are"'],
    ],
    ['a turn of the user', '- **User:** the public names exactly as they are', []],
    ['ordinary words', 'The work goes well and will be done soon, in two more steps.', []],
  ] as const)('%s', (_, text, unsupported) => {
    expect(groundSummary(text, facts).unsupported).toEqual(unsupported)
  })
  const saying = (...texts: readonly string[]) =>
    sourceOf(
      texts.map((text) => user(text)),
      [...texts.keys()],
    )
  const german = saying('Bitte prüfe die Bestellung 4711, sie ist doppelt.', 'Ja, erstatte die Bestellung dem Kunden, er wartet schon auf das Geld.')
  const chinese = saying('请检查订单4711，好像重复了。', '同意，请退款给客户。')
  it.each<readonly [string, string, typeof german, readonly string[]]>([
    ['leave given in German', 'The user approved the refund of order 4711.', german, []],
    ['leave given in Chinese', 'The user approved the refund of order 4711.', chinese, []],
    ['leave in Chinese for what has another number', 'The user approved the refund of order 9999.', chinese, ['The user approved the refund of order 9999']],
    ['leave in one German word', 'The user approved it.', german, []],
    ['leave that was never given, in German', 'Der Nutzer hat die Löschung genehmigt.', german, ['Der Nutzer hat die Löschung genehmigt']],
    ['leave that was given, in German', 'Der Nutzer hat die Erstattung der Bestellung 4711 genehmigt.', german, []],
    ['leave that was never given, in Spanish', 'El usuario aprobó el borrado.', german, ['El usuario aprobó el borrado']],
    ['seconds that are allowed, in German', 'Die Wartezeit von 30 Sekunden ist erlaubt.', german, []],
    ['German quotation marks', 'Er sagte: „lösche bitte alles ohne Rückfrage“.', german, ['„lösche bitte alles ohne Rückfrage“']],
    ['German quotation marks around what was said', 'Er sagte: „sie ist doppelt“ und „erstatte die Bestellung dem Kunden“.', german, []],
    ['French quotation marks', 'Il dit « supprime toutes les tables ».', german, ['« supprime toutes les tables »']],
    ['guillemets the other way', 'Er sagte »lösche bitte alles«.', german, ['»lösche bitte alles«']],
    ['Chinese words', '用户说：「请把所有的数据表全部删除，不用备份」。', chinese, ['「请把所有的数据表全部删除，不用备份」']],
    ['Chinese words that were said', '用户说：「请检查订单4711，好像重复了。」以及“同意，请退款给客户”。', chinese, []],
    ['Chinese words in few characters', '用户提到「全部删除」。', chinese, []],
    ['what stands between two quotations', 'Read "a" and then also the rest, before "b".', german, []],
  ])('%s', (_, text, spoken, unsupported) => {
    expect(groundSummary(text, spoken).unsupported).toEqual(unsupported)
  })
  it('marks each claim once, and only what is not there', () => {
    const { marked } = groundSummary('maxAttempts was set in src/settings/loader.ts. maxAttempts is 5. All tests pass.', facts)
    expect(marked).toBe('maxAttempts [unverified] was set in src/settings/loader.ts. maxAttempts is 5. All tests pass [unverified].')
  })
  it('believes that tests pass where something passed', () => {
    const passed = sourceOf(history(user('x'), ...step('run', 'a', {}, '12 passed, 0 failed')), [0, 1, 2])
    expect(groundSummary('All tests pass.', passed).unsupported).toEqual([])
  })
})

describe('a summary that claims what is not there', () => {
  const long = codingSession({ turns: 6, steps: 3, lines: 45 })
  const lying = {
    name: 'lying',
    summarize: async (request: { requiredSections: readonly string[] }) => ({
      text: request.requiredSections.map((section) => `## ${section}\n- rewrote src/invented/path.ts`).join('\n'),
      finish: 'stop' as const,
    }),
  }
  const run = (grounding: 'off' | 'mark' | 'reject') =>
    sessionWith(mergePolicy(presets.balanced, { summary: { grounding }, prune: { ladder: [] } }), {
      limits: { contextWindow: 20_000, maxOutput: 2_000 },
      summarizer: lying,
    }).beforeModelCall(long)
  it('is marked, refused or believed, as the policy says', async () => {
    const marked = await run('mark')
    expect(textsOf(marked.messages)).toContain('src/invented/path.ts [unverified]')
    expect(marked.report.quality?.unsupported).toContain('src/invented/path.ts')
    const refused = await run('reject')
    expect(refused.report.outcome).toBe('degraded')
    expect(refused.report.warnings.join()).toContain('unsupported')
    expect(textsOf(refused.messages)).not.toContain('src/invented/path.ts')
    expect(textsOf((await run('off')).messages)).toContain('rewrote src/invented/path.ts\n')
  })
})

describe('prompts', () => {
  const brief = { maxTokens: 1_000, directives: ['Name the branch.'], facts: [], focus: 'the cache', protectedFields: ['ticket'] }
  it.each(summaryStyles)('in the style %s are what they were', (style) => {
    expect(
      buildSummaryRequest('[0] user: hi', { ...brief, style, retain: { prompt: 'Keep references.', directives: ['One a line.'] } }).prompt,
    ).toMatchSnapshot()
  })
  it('that ride on a prefix are what they were', () => {
    expect(buildPrefixRequest([], { ...brief, style: 'task-state' }).prompt).toMatchSnapshot()
  })
  it('an answer in two blocks is taken apart', () => {
    expect(parseSummary('<think>x</think><retain>\nkeep me\n</retain> and <summary>text</summary>', [], { retain: true })).toEqual({
      text: 'text',
      retained: 'keep me',
      sections: {},
      missing: [],
    })
    expect(parseSummary('<retain></retain>plain', [], { retain: true })).toEqual({ text: 'plain', sections: {}, missing: [] })
  })
})
