import { type Recorded, textOf } from './transcripts.ts'

/** Where a recorded session comes from, as its file says it. */
interface Sourced extends Pick<Recorded, 'set'> {
  readonly source?: string
}

/**
 * The repository that a session worked in. Claude Code's and pi's logs lie in that very repository; trajectories of SWE-agent and OpenHands carry it in the
 * name of their task (`pydicom__pydicom-1458`); a riddle and a question of the web are a place of their own; the help desk of the airline is one.
 */
export function repositoryOf({ set, source = '' }: Sourced): string {
  const [host = '', ...rest] = source.split(' ')
  const path = rest.join(' ')
  const task = /([A-Za-z][\w.-]*?)__([A-Za-z][\w.-]*?)-\d+\.traj/.exec(path)
  if (task !== null) return `${task[1]}/${task[2]}`
  const riddle = /\/ctf\/(\w+)\/([\w-]+)\.traj/.exec(path)
  if (riddle !== null) return `ctf/${riddle[2]}`
  if (set === 'openhands') return `openhands ${path}`
  if (set === 'webdancer') return `web ${path}`
  if (set === 'swe-agent') return `swe-agent ${path.split('/').at(-1)}`
  return host === '' ? set : host
}

/** The month (`2026-01`) that a session speaks of most, the newer of two alike; undefined where it carries no dates. */
export function monthOf({ messages }: Pick<Recorded, 'messages'>): string | undefined {
  const counts = new Map<string, number>()
  for (const message of messages) {
    for (const [month] of textOf(message).matchAll(/\b20[2-4]\d-(?:0[1-9]|1[0-2])(?=-(?:[0-2]\d|3[01]))/g)) counts.set(month, (counts.get(month) ?? 0) + 1)
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || b.localeCompare(a))[0]?.[0]
}
