export type { CompareAndSwap } from './compare-and-swap.ts'
export { redisCompareAndSwap, sqlCompareAndSwap } from './compare-and-swap.ts'
export type { UnstorageDriver, UnstorageOptions, UnstorageStorage } from './unstorage-storage.ts'
export { unstorageStorage } from './unstorage-storage.ts'
