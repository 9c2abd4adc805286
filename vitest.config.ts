import { defineConfig } from 'vitest/config'

/** Milliseconds after which a test counts as hanging: far beyond what any needs, on a busy machine too. */
const testTimeout = 60_000
const conditions = ['@precis/source', 'node', 'import', 'default']

export default defineConfig({
  test: {
    // By default one processor is left idle: of two, that is half.
    maxWorkers: '100%',
    projects: [
      // What the measures of `npm run evals` count and what they do not.
      { root: './evals', resolve: { conditions }, ssr: { resolve: { conditions } }, test: { name: 'evals', include: ['test/**/*.test.ts'], testTimeout } },
      // The one required peer of @precis/langchain, at both ends of its range.
      ...['lowest', 'middle'].map((end) => ({
        root: './packages/langchain',
        resolve: { conditions, alias: { '@langchain/core': `core-${end}` } },
        ssr: { resolve: { conditions } },
        test: { name: `langchain-core-${end}`, include: ['test/core-only.test.ts'], testTimeout },
      })),
      ...[
        'core',
        'redaction',
        'testkit',
        'ai-sdk',
        'cli',
        'storage-fs',
        'storage-s3',
        'storage-unstorage',
        'queue-bullmq',
        'tokenizers',
        'wire',
        'models',
        'exporter-console',
        'exporter-otlp',
        'config',
        'langchain',
        'openai-agents',
      ].map((name) => ({
        root: `./packages/${name}`,
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          name,
          include: ['test/**/*.test.ts'],
          testTimeout,
          typecheck: { enabled: true, checker: 'tsc', include: ['test/**/*.test-d.ts'], tsconfig: 'tsconfig.test.json' },
        },
      })),
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90, functions: 90, branches: 80, statements: 90 },
    },
  },
})
