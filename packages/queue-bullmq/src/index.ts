export type { BullmqOptions, BullmqQueue, BullmqWorker, BullmqWorkerOptions, Outcome } from './bullmq-queue.ts'
export { bullmqQueue, bullmqWorker } from './bullmq-queue.ts'
