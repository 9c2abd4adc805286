// Every task of this repository: what it does, and its steps. `run.mjs` runs them, CONTRIBUTING.md shows them.
const source = ['node', '--conditions=@precis/source']

/** What each task does, and its steps, one after another; arguments go to the last. What turbo runs is cached. */
export const tasks = {
  test: ['all tests of all packages; `-- --project core` for one', ['vitest', 'run']],
  coverage: ['the same, and what they cover', ['NODE_DISABLE_COMPILE_CACHE=1', 'vitest', 'run', '--coverage']],
  build: ['every package into its `dist/`', ['turbo', 'run', 'build']],
  typecheck: ['types of everything, tests and examples among it', ['turbo', 'run', 'typecheck', 'typecheck:tools']],
  lint: [
    'style, module boundaries, unused code, changesets, generated parts of documents',
    ['biome', 'ci', '.'],
    ['node', 'scripts/check-boundaries.mjs'],
    ['knip'],
    ['node', 'scripts/check-changesets.mjs'],
    ['node', 'scripts/generate.mjs'],
  ],
  format: ['puts everything into its style', ['biome', 'check', '--write', '.']],
  generate: ['parts of documents that are made from code; `-- --write` fills them', ['node', 'scripts/generate.mjs']],
  packages: ['what a package manager sees: exports, types, files', ['turbo', 'run', 'check:pkg']],
  size: [
    'bytes that a browser would load, against their limits',
    ['turbo', 'run', 'build', '--filter=@precis/core', '--filter=@precis/models'],
    ['node', 'scripts/check-size.mjs'],
  ],
  nodes: ['the built AI SDK adapter under Node 20, 22 and 24', ['turbo', 'run', 'build', '--filter=@precis/ai-sdk'], ['node', 'scripts/check-nodes.mjs']],
  release: [
    'a release, dry: tarballs in fresh projects, every program of the READMEs as it is pasted',
    ['turbo', 'run', 'build'],
    ['node', '--experimental-vm-modules', '--no-warnings', 'scripts/release-dry.mjs'],
  ],
  demo: ['an agent reads this repository; `-- your-transcript.jsonl` compacts that', ['pnpm', '--filter', 'examples', 'demo']],
  'demo:picture': ['the demo as a picture, and its figures in README.md; `-- --write` writes both', ['node', 'scripts/demo-picture.mjs']],
  'demo:local': ['a real model on your processor, past its window', ['pnpm', '--filter', 'examples', 'demo:local']],
  examples: ['every example of the documents', ['pnpm', '--filter', 'examples', 'run', 'examples']],
  commands: ['every command and configuration that the documents show', [...source, 'scripts/commands.mjs']],
  docs: [
    'the documentation site, with the session of the demo as the sample of its playground',
    ['PRECIS_CWD=.', 'pnpm', '--filter', 'examples', 'demo', '--session=../docs/public/sample.jsonl'],
    ['pnpm', '--filter', 'docs', 'site'],
  ],
  evals: [
    'what is still there after a compaction; `-- texts`, `gate`, `store`, `read`, `replay`, `recorded`, `live`, `fit`, `redaction`',
    [...source, 'evals/main.ts'],
  ],
  soak: ['random sessions against a strict provider; `-- --sessions=1000`', [...source, 'soak/main.ts']],
  bench: ['speed and memory; `-- --gate` compares with the bars', [...source, 'bench/main.ts']],
  'bench:loop': [
    'how long a compaction keeps the event loop, on recorded sessions; `-- 64000` for one window, `--gate` compares with the bars',
    [...source, 'bench/event-loop.ts'],
  ],
  'bench:call': ['what a model call costs that needs no compaction, through the door of the AI SDK', [...source, 'bench/model-call.ts']],
  'bench:front': ['one agent through each framework: bare, with its own means, with ours', ['pnpm', '--filter', 'examples', 'front']],
  'bench:said': [
    'what people say, change and ask about, through each framework; `-- --bank=a --show` prints what was answered wrong',
    ['pnpm', '--filter', 'examples', 'said'],
  ],
  'bench:drawn': [
    'agents drawn by chance: windows, tokenizers, processes, storages that fail; `-- --from=1 --to=40`, `--gate`',
    ['pnpm', '--filter', 'examples', 'drawn'],
  ],
  'bench:memory': ['what stays in memory of finished runs; `-- --runs=1000`, `--at-once=3`, or `--minutes=10`', ['pnpm', '--filter', 'examples', 'memory']],
  'bench:graph': [
    'a long agent through LangGraph: event loop, memory, what the graph writes; `--gate` compares that with the bare graph',
    ['pnpm', '--filter', '@precis/langchain', 'run', 'graph'],
  ],
  'bench:peers': ['LangChain’s own middleware beside ours', ['pnpm', '--filter', '@precis/langchain', 'run', 'peers']],
  'test:integration': ['real servers: S3, Redis, PostgreSQL, a collector, a browser', ['pnpm', '--filter', 'integration', 'run', 'integration']],
  'test:nightly': [
    'the same at full size; then 200 killed writers, and secrets on corpora of others',
    ['PRECIS_WHOLE=1', 'pnpm', '--filter', 'integration', 'run', 'integration'],
    ['PRECIS_KILLS=200', 'vitest', 'run', '--project', 'storage-fs', '-t', 'killed'],
    ['pnpm', '--filter', 'integration', 'run', 'secrets'],
  ],
  version: ['versions and changelogs from the changesets; for the release workflow', ['changeset', 'version']],
  publish: [
    'points the packages to their repository, builds and publishes; for the release workflow',
    ['node', 'scripts/address.mjs'],
    ['turbo', 'run', 'build'],
    ['changeset', 'publish'],
  ],
}
