import type { Scenario } from '@precis/testkit'

/** Files of this repository that the agent reads one after another: several times what its window holds. */
const reading = [
  ...[
    'history/message',
    'budget/limits',
    'budget/usage',
    'budget/calibrate',
    'budget/estimate',
    'history/groups',
    'partition/repair',
    'policy/policy',
  ],
  ...[
    'plan/trigger',
    'partition/partition',
    'record/condense',
    'record/record',
    'record/facts',
    'record/names',
    'plan/plan',
    'plan/apply',
  ],
  ...[
    'state/checkpoint',
    'state/state',
    'budget/overflow',
    'runtime/telemetry/events',
    'plan/report',
    'errors',
    'summary/summarizer',
    'privacy/redactor',
  ],
  ...[
    'plan/failure',
    'plan/context',
    'plan/shorten',
    'runtime/session/session',
  ],
].map((name) => `packages/core/src/${name}.ts`)

const secondHalf = [
  ...['seam', 'codec', 'middleware', 'summarizer', 'usage', 'overhead'].map(
    (name) => `packages/ai-sdk/src/${name}.ts`,
  ),
  ...[
    'generate',
    'builders',
    'fakes',
    'laws',
    'provider/strict-provider',
    'provider/recall-model',
    'wire/anthropic',
    'wire/openai-chat',
  ].map((name) => `packages/testkit/src/${name}.ts`),
  ...['transcript', 'inspect', 'main', 'write'].map(
    (name) => `packages/cli/src/${name}.ts`,
  ),
]

export const request = [
  'Get to know this repository: list the core, read its files one by one, then those of the AI SDK adapter.',
  'Constraint: this is review REV-3107, so change nothing.',
  'Look at the pinned package manager, at what checking missing.js prints and at where mostFailures is defined on your way; I will ask about them.',
].join(' ')

export const scenario: Scenario = {
  steps: [
    { tool: 'list', input: () => ({ path: 'packages/core/src' }) },
    { tool: 'read', input: () => ({ path: 'package.json' }) },
    {
      tool: 'run',
      input: () => ({ command: 'node --check missing.js' }),
      say: 'I check a file that should be there.',
    },
    {
      tool: 'grep',
      input: () => ({
        pattern: 'const mostFailures',
        path: 'packages/core/src',
      }),
    },
    ...reading.map((path) => ({ tool: 'read', input: () => ({ path }) })),
    // The path was found by the grep, twenty-five files ago; a model that forgot it reads "unknown".
    {
      tool: 'read',
      input: (recall) => ({
        path: recall(/([\w/.-]+\.ts):\d+: const mostFailures/) ?? 'unknown',
      }),
      say: 'Back to where the breaker is defined.',
    },
    ...secondHalf.map((path) => ({ tool: 'read', input: () => ({ path }) })),
  ],
  questions: [
    {
      asks: 'which version of the package manager',
      pattern: /"packageManager": ?"(pnpm@[\d.]+)"/,
    },
    {
      asks: 'what did the check of missing.js',
      pattern: /(Cannot find module '[^']*missing\.js')/,
    },
    { asks: 'under which review', pattern: /(REV-\d+)/ },
    {
      asks: 'where is the breaker',
      pattern: /([\w/.-]+\.ts):\d+: const mostFailures/,
    },
  ],
  final: 'I know the repository now.',
}

/** Asked when all is read; `expected` is how the answer is judged. */
export const questions: readonly {
  readonly text: string
  readonly expected: RegExp
}[] = [
  {
    text: 'To the beginning: which version of the package manager is pinned?',
    expected: /^pnpm@\d+\.\d+\.\d+$/,
  },
  {
    text: 'And what did the check of missing.js print?',
    expected: /Cannot find module '.*missing\.js'/,
  },
  { text: 'And under which review is this work done?', expected: /^REV-3107$/ },
  {
    text: 'And where is the breaker defined?',
    expected: /^packages\/core\/src\/runtime\/breaker\.ts$/,
  },
]
