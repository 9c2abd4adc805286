/** The largest key first. */
export interface Heap {
  push(key: number, value: number): void
  pop(): { readonly key: number; readonly value: number }
  peek(): number
  size(): number
}

/** A binary max-heap of numbers; ties go to the smaller value, so that the order is the same everywhere. */
export function createHeap(): Heap {
  const keys: number[] = []
  const values: number[] = []
  const above = (a: number, b: number): boolean =>
    (keys[a] as number) > (keys[b] as number) || (keys[a] === keys[b] && (values[a] as number) < (values[b] as number))
  const swap = (a: number, b: number): void => {
    ;[keys[a], keys[b]] = [keys[b] as number, keys[a] as number]
    ;[values[a], values[b]] = [values[b] as number, values[a] as number]
  }
  return {
    push(key, value) {
      keys.push(key)
      values.push(value)
      let at = keys.length - 1
      while (at > 0 && above(at, (at - 1) >> 1)) {
        swap(at, (at - 1) >> 1)
        at = (at - 1) >> 1
      }
    },
    pop() {
      const top = { key: keys[0] as number, value: values[0] as number }
      const key = keys.pop() as number
      const value = values.pop() as number
      if (keys.length > 0) {
        keys[0] = key
        values[0] = value
        for (let at = 0; ; ) {
          const left = 2 * at + 1
          let best = at
          if (left < keys.length && above(left, best)) best = left
          if (left + 1 < keys.length && above(left + 1, best)) best = left + 1
          if (best === at) break
          swap(at, best)
          at = best
        }
      }
      return top
    },
    peek: () => keys[0] ?? -Infinity,
    size: () => keys.length,
  }
}
