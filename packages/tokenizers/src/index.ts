export type { EncodingName } from './estimators.ts'
export { gptTokenizerEstimator, tiktokenEstimator } from './estimators.ts'
export { guarded } from './guard.ts'
