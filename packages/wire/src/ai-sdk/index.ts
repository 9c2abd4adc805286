export { createCodec } from './codec.ts'
export type { SdkMessage, SdkOutput, SdkPart, SdkProviderOptions } from './read-message.ts'
