export { createCodec } from './codec.ts'
export type { SdkMessage, SdkOutput, SdkPart, SdkProviderOptions } from './sdk-message.ts'
