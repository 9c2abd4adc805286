// Histories
export { assistant, call, calls, freezeDeep, history, image, neutralCodec, pinned, result, results, step, system, user } from './builders.ts'
export type { HistoryOptions } from './generate.ts'
export { allText, generateHistory } from './generate.ts'
export type { Random } from './random.ts'
export { createRandom } from './random.ts'

// Faults
export type { FakeSummarizer, StorageFault, SummarizerFault } from './fakes.ts'
export { fakeClock, fakeExporter, fakeStorage, fakeSummarizer, summarizerFaults } from './fakes.ts'

// Laws and wire formats
export type { LawCase } from './laws.ts'
export { brokenLaws } from './laws.ts'
export type { Violation } from './wire/violation.ts'
export { toAnthropic, validateAnthropic } from './wire/anthropic.ts'
export { toGemini, validateGemini } from './wire/gemini.ts'
export { toOpenAIChat, validateOpenAIChat } from './wire/openai-chat.ts'
export { toOpenAIResponses, validateOpenAIResponses } from './wire/openai-responses.ts'
