/**
 * Whether a host's mark on a message pins it: `{ protected: true }`. A mark is stored with its message and cannot be corrected there, so that one that plainly
 * means the same pins too: `{ pinned: true }`, `{ protect: true }`, `{ pin: true }`, `{ keep: true }`, and the word `"true"`.
 */
export function isPinned(mark: unknown): boolean {
  return names.some((name) => {
    const value: unknown = Object(mark)[name]
    return value === true || value === 'true'
  })
}

const names = ['protected', 'pinned', 'protect', 'pin', 'keep'] as const
