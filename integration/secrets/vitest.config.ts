import { defineConfig } from 'vitest/config'

const conditions = ['@precis/source', 'node', 'default']

/** On its own: it needs Go and no server. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { root: import.meta.dirname, include: ['*.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
})
