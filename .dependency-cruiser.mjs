/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-has-no-dependencies',
      comment: 'Core runs everywhere and depends on nothing, not even node:.',
      severity: 'error',
      from: { path: '^packages/core/src' },
      to: { pathNot: '^packages/core/src' },
    },
    {
      name: 'pure-does-not-know-effects',
      comment: 'Decide in pure functions; act in runtime/.',
      severity: 'error',
      from: { path: '^packages/core/src/(?!runtime/|index\\.ts)' },
      to: { path: '^packages/core/src/runtime/' },
    },
    {
      name: 'packages-only-via-entry',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/([^/]+)/src/', pathNot: ['^packages/$1/', '^packages/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'testkit-is-for-tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src', pathNot: '^packages/testkit/' },
      to: { path: '^packages/testkit/' },
    },
    {
      name: 'the-ruler-knows-no-library',
      comment: 'What is counted as remembered is defined apart from the record that is measured by it.',
      severity: 'error',
      from: { path: '^packages/cli/src/replay/(measure|names)' },
      to: { pathNot: '^packages/cli/src/replay/(measure|names|said)' },
    },
    {
      name: 'wire-knows-core-alone',
      comment: 'Readers and writers of request bodies run wherever core does; the rules that check them are written apart from them.',
      severity: 'error',
      from: { path: '^packages/wire/src' },
      to: { pathNot: '^packages/(wire|core)/src' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@precis/source', 'import', 'types', 'default'],
      extensions: ['.ts', '.js', '.d.ts'],
    },
  },
}
