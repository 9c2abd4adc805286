// biome-ignore-all lint/style/noExcessiveLinesPerFile: a recording, not code.
import type { Message } from '@precis/core'

/** A session as it was: eleven steps of the demo's agent over this repository, through a real client; outputs are cut after 1,200 characters. */
export const recordedSession: readonly Message[] = [
  {
    role: 'user',
    parts: [
      {
        type: 'text',
        text: 'Get to know this repository, file by file. This is review REV-3107.',
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_0',
        tool: 'list',
        input: '{"path":"packages/core/src"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_0',
        tool: 'list',
        output:
          'packages/core/src/apply.ts\npackages/core/src/calibrate.ts\npackages/core/src/checkpoint.ts\npackages/core/src/condense.ts\npackages/core/src/context.ts\npackages/core/src/cost.ts\npackages/core/src/digest.ts\npackages/core/src/errors.ts\npackages/core/src/estimate-weights.ts\npackages/core/src/estimate.ts\npackages/core/src/events.ts\npackages/core/src/facts.ts\npackages/core/src/failure.ts\npackages/core/src/fit.ts\npackages/core/src/groups.ts\npackages/core/src/index.ts\npackages/core/src/keys.ts\npackages/core/src/limits.ts\npackages/core/src/message.ts\npackages/core/src/neutral.ts\npackages/core/src/overflow.ts\npackages/core/src/partition.ts\npackages/core/src/plan.ts\npackages/core/src/policy.ts\npackages/core/src/ports.ts\npackages/core/src/presets/balanced.ts\npackages/core/src/presets/cache-aware.ts\npackages/core/src/presets/calibrated.ts\npackages/core/src/presets/index.ts\npackages/core/src/presets/layered.ts\npackages/core/src/presets/output-cache.ts\npackages/core/src/presets/pivot.ts\npackages/core/src/prune/age.ts\npackages/core/src/prune/arguments.ts\npackages/core/src/prune/media.ts\npackages/core/src/prune/outputs.ts\npackages/core/src/prune/reads.ts\npackages/core/src/prune/supersede.ts\npackages/',
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_1',
        tool: 'read',
        input: '{"path":"package.json"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_1',
        tool: 'read',
        output:
          '{\n  "name": "precis-workspace",\n  "private": true,\n  "type": "module",\n  "license": "MIT",\n  "packageManager": "pnpm@12.21.0",\n  "engines": {\n    "node": ">=20"\n  },\n  "scripts": {\n    "test": "node scripts/run.mjs test:all",\n    "demo": "node scripts/run.mjs demo:main",\n    "bench": "node scripts/run.mjs bench:main",\n    "bench:peers": "node scripts/run.mjs peers",\n    "peers": "pnpm --filter @precis/langchain run peers",\n    "test:integration": "node scripts/run.mjs integration",\n    "integration": "pnpm --filter integration run integration && pnpm run kills",\n    "kills": "PRECIS_KILLS=200 vitest run --project storage-fs -t killed",\n    "test:all": "vitest run",\n    "demo:main": "pnpm --filter examples demo",\n    "bench:main": "node --conditions=@precis/source bench/main.ts",\n    "build": "turbo run build",\n    "typecheck": "turbo run typecheck && tsc -p evals && tsc -p bench && tsc -p soak",\n    "coverage": "vitest run --coverage",\n    "lint": "biome ci . && node scripts/check-boundaries.mjs && knip && node scripts/snippets.mjs && node scripts/systems-table.mjs && node scripts/check-changesets.mjs",\n    "examples": "pnpm --filter examples run examples",\n    "check:pkg": "turbo ',
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'text',
        text: 'I check a file that should be there.',
      },
      {
        type: 'tool-call',
        callId: 'step_2',
        tool: 'run',
        input: '{"command":"node --check missing.js"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_2',
        tool: 'run',
        output:
          "exit code 1\nnode:internal/modules/cjs/loader:1568\n  throw err;\n  ^\n\nError: Cannot find module './missing.js'\n    at node:internal/modules/cjs/loader:1564:15\n    at node:internal/main/check_syntax:33:20 {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v24.21.0\n",
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_3',
        tool: 'grep',
        input: '{"pattern":"const mostFailures","path":"packages/core/src"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_3',
        tool: 'grep',
        output: 'packages/core/src/state.ts:45: const mostFailures = 3',
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_4',
        tool: 'read',
        input: '{"path":"packages/core/src/message.ts"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_4',
        tool: 'read',
        output:
          "/** Whole model tokens. */\nexport type Tokens = number\n\nexport type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'\n\n/** One message as planning sees it: a reading of the caller's message, never a replacement for it. */\nexport interface Message {\n  readonly role: Role\n  readonly parts: readonly Part[]\n  /** The framework's own id, where it has one. Never used as an anchor alone: some frameworks renumber or clone. */\n  readonly id?: string\n  /** Set by the user through the framework's metadata slot: never summarised, edited or dropped. */\n  readonly protected?: boolean\n  /** This message is a summary that we made. */\n  readonly summary?: { readonly version: number }\n}\n\nexport type Part = TextPart | ReasoningPart | MediaPart | ToolCallPart | ToolResultPart | ApprovalPart | MarkerPart | OpaquePart\n\nexport interface TextPart {\n  readonly type: 'text'\n  readonly text: string\n}\n/** `sealed`: encrypted or signed, so its text may be empty while it still costs tokens. */\nexport interface ReasoningPart {\n  readonly type: 'reasoning'\n  readonly text: string\n  readonly sealed?: boolean\n}\n/** `bytes` is the payload size where known; it never decides the token cost (providers bill ",
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_5',
        tool: 'read',
        input: '{"path":"packages/core/src/limits.ts"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_5',
        tool: 'read',
        output:
          "import { InvalidConfigurationError } from './errors.ts'\nimport type { Tokens } from './message.ts'\n\n/** Published limits of one model, in Tokens. `contextWindow` counts input + output; 0 means unlimited. */\nexport interface ModelLimits {\n  readonly contextWindow: Tokens\n  readonly maxInput?: Tokens\n  readonly maxOutput?: Tokens\n}\n\n/** A level of the usable input: a fraction of it (0–1), absolute Tokens, or Tokens that must stay free. */\nexport type Threshold = { readonly fraction: number } | { readonly tokens: Tokens } | { readonly free: Tokens }\n\n/** A size: a fraction of the usable input (0–1), or absolute Tokens. */\nexport type Amount = { readonly fraction: number } | { readonly tokens: Tokens }\n\n/**\n * Largest prompt that still leaves room for the reply:\n *\n *     usable = min(maxInput ?? ∞, contextWindow − min(requested ?? maxOutput ?? outputCap, outputCap))\n *\n * A published `maxInput` alone is taken as it is: such models count their output elsewhere.\n *\n * @param outputCap Most Tokens we ever reserve for the reply; > 0.\n * @param requested Output Tokens that this very call asks for, where known: what is requested is what the provider reserves.\n * @returns Whole Tokens > 0, o",
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_6',
        tool: 'read',
        input: '{"path":"packages/core/src/usage.ts"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_6',
        tool: 'read',
        output:
          "import type { Tokens } from './message.ts'\n\n/** What a provider billed for one call. `input` is the uncached part: the prompt is `input + cacheRead + cacheWrite`. */\nexport interface TokenUsage {\n  readonly input: Tokens\n  readonly cacheRead: Tokens\n  readonly cacheWrite: Tokens\n  readonly output: Tokens\n}\n\n/** Token counts as a provider states them; a missing or non-finite count is 0. */\nexport interface ReportedUsage {\n  readonly input?: Tokens | undefined\n  readonly cacheRead?: Tokens | undefined\n  readonly cacheWrite?: Tokens | undefined\n  readonly output?: Tokens | undefined\n}\n\n/**\n * Brings both provider conventions to one shape. Declare the convention, never guess it:\n * `inclusive` (OpenAI, Google, AI SDK 6+): `input` already holds the cached tokens; `exclusive` (Anthropic's own API): it does not.\n *\n * @returns undefined when the provider reported no input at all: some servers send zeros, and a zero is no measurement.\n */\nexport function normalizeUsage(reported: ReportedUsage, convention: 'inclusive' | 'exclusive'): TokenUsage | undefined {\n  const input = count(reported.input)\n  const cacheRead = count(reported.cacheRead)\n  const cacheWrite = count(reported.cacheWrite)\n  ",
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_7',
        tool: 'read',
        input: '{"path":"packages/core/src/calibrate.ts"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_7',
        tool: 'read',
        output:
          "import type { Tokens } from './message.ts'\n\n/**\n * How the estimate relates to what the provider counts: `tokens ≈ estimate × factor + overhead`.\n * `overhead` is what the request carries beyond the messages and beyond what the host declared.\n * `last` is the newest observation; `learnedWindow` the largest prompt that a provider's refusal let us infer.\n */\nexport interface Calibration {\n  readonly factor: number\n  readonly overhead: Tokens\n  readonly learnedWindow?: Tokens\n  readonly last?: { readonly estimate: Tokens; readonly actual: Tokens }\n}\n\nexport const uncalibrated: Calibration = { factor: 1, overhead: 0 }\n\nconst weight = 0.2 // EMA weight of one observation; source: systems.md, \"calibrated\" row 1\nconst factorRange = [0.5, 3] as const // source: the same row\nconst smallestStep = 100 // Tokens of growth below which a difference quotient is noise\n\n/**\n * Folds one measurement in. Two consecutive prompts of one session give the factor free of any constant:\n *\n *     ratio    = Δactual ÷ Δestimate                        (when the prompt grew by ≥ 100 estimated tokens)\n *     factor   = clamp(0.8 × factor + 0.2 × ratio, 0.5, 3)\n *     overhead = max(0, 0.8 × overhead + 0.2 × (ac",
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_8',
        tool: 'read',
        input: '{"path":"packages/core/src/estimate.ts"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_8',
        tool: 'read',
        output:
          "import { runWeights, tailWeights } from './estimate-weights.ts'\nimport type { Message, Part, Tokens, ToolResultPart } from './message.ts'\n\n/** Counts the tokens of a text. Must be total, deterministic and linear in the length of the text. */\nexport interface TokenEstimator {\n  readonly name: string\n  count(text: string): Tokens\n}\n\nconst contexts = 5\nconst longestRun = 16\nconst unit = 50 // weights are stored in fiftieths of a token\n\n/** Class of each ASCII character: 0 space, 1 break, 2 lower, 3 upper, 4 digit, 5 punctuation, 12 control. */\nconst asciiClass = /* @__PURE__ */ classesOfAscii()\n/** The context that a run of each class makes for the next one. */\nconst contextAfter = /* @__PURE__ */ Uint8Array.of(0, 0, 1, 1, 2, 3, 1, 1, 4, 4, 4, 4, 4)\nconst weightOfRun = /* @__PURE__ */ decodeRuns(runWeights)\nconst weightOfTail = /* @__PURE__ */ decode(tailWeights)\n\n/**\n * The built-in estimator: splits a text into runs of one character class and adds a fitted weight per run.\n * Linear, no allocation. Within about 3 % of o200k_base on prose, code, logs and most scripts (see docs/budget.md for the measured errors);\n * other vocabularies differ more, which is what calibration is for.\n *\n ",
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_9',
        tool: 'read',
        input: '{"path":"packages/core/src/groups.ts"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_9',
        tool: 'read',
        output:
          "import type { Message, ToolCallPart } from './message.ts'\n\n/** One call and the indices of the messages that answer it. */\nexport interface ToolPair {\n  readonly callId: string\n  readonly tool: string\n  readonly input: string\n  readonly providerExecuted: boolean\n  readonly call: number\n  /** Index of the message with the first result; undefined while unanswered. */\n  result?: number\n  /** Last index that belongs to it: result, approval, or the call itself. */\n  last: number\n}\n\n/** Calls with their results, and what does not fit: the raw material of groups and of repair. */\nexport interface ToolPairing {\n  readonly pairs: readonly ToolPair[]\n  /** Results that answer no open call, or a call already answered. */\n  readonly orphans: readonly { readonly index: number; readonly callId: string; readonly tool: string }[]\n  /** Calls whose id is already in use by a call not yet answered. */\n  readonly duplicates: readonly { readonly index: number; readonly callId: string }[]\n}\n\n/**\n * Pairs each result with the newest open call of the same id before it. Ids may be used again once answered\n * (some providers number calls anew in each turn).\n */\nexport function pairToolCalls(messages: readon",
      },
    ],
  },
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool-call',
        callId: 'step_10',
        tool: 'read',
        input: '{"path":"packages/core/src/repair.ts"}',
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: 'step_10',
        tool: 'read',
        output:
          "import { callsInFlight, pairToolCalls, type ToolPairing } from './groups.ts'\nimport { isMarker, type Message } from './message.ts'\n\n/** One thing that a provider would refuse, and what is done about it in what the model is sent. The history itself stays as it is. */\nexport type Repair =\n  /** A result that answers nothing is left out. */\n  | { readonly kind: 'orphan-result'; readonly index: number; readonly callId: string }\n  /** A call that was never answered gets a result that says so, placed after message `after`. */\n  | { readonly kind: 'unanswered-call'; readonly index: number; readonly callId: string; readonly tool: string; readonly after: number }\n  /** A result that came too late moves behind its call: its own text, or what an edit made of it. */\n  | { readonly kind: 'late-result'; readonly index: number; readonly callId: string; readonly tool: string; readonly after: number; readonly output: string }\n  /** A message that holds nothing a provider accepts is left out. */\n  | { readonly kind: 'empty-message'; readonly index: number }\n  /** A message that uses a call id still in use is left out, with its results. */\n  | { readonly kind: 'duplicate-call'; readonly index: number",
      },
    ],
  },
]
