import type { Talk } from '../format.ts'

export const talks: readonly Talk[] = []
