import { defineConfig } from 'vitest/config'

const conditions = ['@precis/source', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    exclude: ['secrets/**', '**/node_modules/**'],
    globalSetup: ['./servers.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})
