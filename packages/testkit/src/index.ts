// Histories
export { neutralCodec } from '@precis/core'
export { assistant, call, calls, freezeDeep, history, image, marker, pinned, result, results, step, system, user } from './builders.ts'
// Faults
export type { FakeSummarizer, StorageFault, SummarizerFault } from './fakes.ts'
export { fakeClock, fakeExporter, fakeStorage, fakeSummarizer, summarizerFaults } from './fakes.ts'
export type { HistoryOptions } from './generate.ts'
export { allText, generateHistory } from './generate.ts'
// Laws and wire formats
export type { LawCase } from './laws.ts'
export { brokenLaws } from './laws.ts'
export type { PromptEntry } from './provider/prompt.ts'
export type { ModelReply, Recall, Scenario, ScenarioQuestion, ScenarioStep } from './provider/recall-model.ts'
export { recallModel, unknownAnswer } from './provider/recall-model.ts'
// A provider that forgives nothing, and a model that remembers nothing
export type { RecordedRequest, StrictProvider, StrictProviderOptions } from './provider/strict-provider.ts'
export { strictProvider } from './provider/strict-provider.ts'
export type { Random } from './random.ts'
export { createRandom } from './random.ts'
export { toAnthropic, validateAnthropic } from './wire/anthropic.ts'
export { toGemini, validateGemini } from './wire/gemini.ts'
export { toOpenAIChat, validateOpenAIChat } from './wire/openai-chat.ts'
export { toOpenAIResponses, validateOpenAIResponses } from './wire/openai-responses.ts'
export type { Violation } from './wire/violation.ts'
