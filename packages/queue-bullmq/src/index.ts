export type { BullmqOptions, BullmqQueue, BullmqWorker, BullmqWorkerOptions } from './bullmq-queue.ts'
export { bullmqQueue, bullmqWorker } from './bullmq-queue.ts'
export type { JobOptions, Outcome } from './job.ts'
