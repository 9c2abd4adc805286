/** The largest key first. */
export interface MaxHeap {
  push(key: number, value: number): void
  /** The value of the largest key. */
  pop(): number
  peek(): number
  size(): number
}

/** A binary max-heap of numbers; ties go to the smaller value, so that the order is the same everywhere. */
export function createMaxHeap(): MaxHeap {
  const keys: number[] = []
  const values: number[] = []
  /** Whether what stands at a place goes before a pair. */
  const isAbove = (at: number, key: number, value: number): boolean =>
    (keys[at] as number) > key || ((keys[at] as number) === key && (values[at] as number) < value)
  const move = (from: number, to: number): void => {
    keys[to] = keys[from] as number
    values[to] = values[from] as number
  }
  return {
    push(key, value) {
      let at = keys.length
      keys.push(key)
      values.push(value)
      for (let parent = (at - 1) >> 1; at > 0 && !isAbove(parent, key, value); parent = (at - 1) >> 1) {
        move(parent, at)
        at = parent
      }
      keys[at] = key
      values[at] = value
    },
    pop() {
      const top = values[0] as number
      const key = keys.pop() as number
      const value = values.pop() as number
      const { length } = keys
      let at = 0
      for (let child = 1; child < length; child = 2 * at + 1) {
        if (child + 1 < length && isAbove(child + 1, keys[child] as number, values[child] as number)) child++
        if (!isAbove(child, key, value)) break
        move(child, at)
        at = child
      }
      if (length > 0) {
        keys[at] = key
        values[at] = value
      }
      return top
    },
    peek: () => keys[0] ?? -Infinity,
    size: () => keys.length,
  }
}
