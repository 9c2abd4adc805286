export { catalogDate, catalogSource } from './catalog.generated.ts'
export { type KnownModel, knownModels } from './catalog.ts'
export { type KnownModelOptions, knownLimits, knownModel } from './known-model.ts'
