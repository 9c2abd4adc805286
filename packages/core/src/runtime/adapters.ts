// `@precis/core/adapters`: what our adapters and storages share and no agent needs: look-ups, what is carried of a state, checks of options, waiting. For whoever writes one.

export { attempt } from '../history/attempt.ts'
export { isRecord, parseJson } from '../history/json.ts'
export { bothSpent, nothingSpent } from '../plan/report.ts'
export type { LookUp, RecallMemory, RememberedLookUps } from '../recall/adapters.ts'
export {
  awaitLookUp,
  checkpointsToCarry,
  createParagraphs,
  createRecallMemory,
  lookUpOf,
  recallUnder,
  remembers,
  restAfter,
  sharedRecallMemory,
  withLookUps,
  withoutParagraph,
} from '../recall/adapters.ts'
export type { LookUpOptions } from '../recall/look-up.ts'
export { asLookUp, lookUp } from '../recall/look-up.ts'
export { isKeptElsewhere } from '../recall/offer.ts'
export type { LookedUp } from '../recall/quote-passages.ts'
export type { PlacedRound, RoundPlace } from '../recall/rounds.ts'
export { placeRounds } from '../recall/rounds.ts'
export { withKnown } from '../state/grown.ts'
export { conversationIds } from './compactor/beginning.ts'
export { withSharedStorage } from './compactor/with-shared-storage.ts'
export { noModel, toolsOf } from './given-objects.ts'
export { type Given, givenOptions, sessionName } from './given-options.ts'
export { aCount, aFlag, aFunction, anObject, aText, checkGiven, checkValues, milliseconds, oneOf, type ValueRule, type ValueRules } from './given-values.ts'
export { isPinned } from './message-mark.ts'
export { onlyNames, type Words } from './only-names.ts'
export { orAborted } from './platform/abort.ts'
export { recallMode } from './platform/disabled.ts'
export { pause } from './platform/pause.ts'
export { readWhole } from './recall/read-whole.ts'
export { recovering } from './recall/recovering.ts'
export { createLookUpTurn } from './recall/turn.ts'
export type { LookUpTurn, LookUpTurnOptions, RepliedCalls, RequestSource, SentRequest, SettledCalls } from './recall/turn-types.ts'
export { causeOf, RefusedInStream } from './refused-in-stream.ts'
export { describedTools, ownToolNames } from './session/tools.ts'
export { sumCounts } from './sum-counts.ts'
export { summarizerOptions } from './summarizer-options.ts'
export { createTelling, type Telling } from './telling.ts'
