export type { AgentItem, CodecOptions } from './codec.ts'
export { createCodec } from './codec.ts'
