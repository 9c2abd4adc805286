import type { Message } from '@precis/core'
import { history, step, user } from '@precis/testkit'
import type { Redis } from 'ioredis'

export const compactorOptions = {
  limits: { contextWindow: 8_000, maxOutput: 500 },
  policy: { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 }, background: true }, summary: { deadline: 3_000 } },
} as const

/** The history of a session, as a database would have it; an edition is what a user made of its first message. */
export function historyOf(session: string, edition = 0): readonly Message[] {
  return history(
    user(`This is session ${session}, edition ${edition}.`),
    ...Array.from({ length: 6 }, (_, at) =>
      step('read', `${session}-c${at}`, { path: `src/${session}/f${at}.ts` }, `line ${at} of session ${session}\n`.repeat(60)),
    ),
    user(`Go on with session ${session}.`),
  )
}

export async function readEdition(redis: Redis, root: string, session: string): Promise<number> {
  return Number((await redis.hget(`${root}:editions`, session)) ?? 0)
}
