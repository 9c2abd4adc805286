import { readFileSync } from 'node:fs'

/** The rooms of core, from the ground floor up, some with rooms of their own: each imports only from those before it. */
const house = JSON.parse(readFileSync('packages/core/rooms.json', 'utf8'))

const looksDown = (base, order) =>
  order.map((room, floor) => ({
    name: `${base.slice('packages/core/src/'.length)}${room.replace('.ts', '')}-imports-only-from-rooms-below`,
    comment: `${base}${room} may import from ${order.slice(0, floor).join(', ') || 'nothing'}: move what it needs down, or the importing code up.`,
    severity: 'error',
    from: { path: `^${base}${room}` },
    to: {
      path: `^${base}`,
      pathNot: [...order.slice(0, floor + 1).map((below) => `^${base}${below}(/|$)`), ...(base.endsWith('src/') ? [] : [`^${base}[^/]+\\.ts$`])],
    },
  }))

/** Files beside rooms within a room may be imported from everywhere: none of them may lead a room to one above it. */
const reachesNoRoomAbove = (base, order) =>
  order.slice(0, -1).map((room, floor) => ({
    name: `${base.slice('packages/core/src/'.length)}${room}-reaches-no-room-above`,
    comment: `What ${base}${room} imports leads to a room above it, through a file that stands beside the rooms.`,
    severity: 'error',
    from: { path: `^${base}${room}/` },
    to: { path: `^${base}(${order.slice(floor + 1).join('|')})/`, reachable: true },
  }))

const rulesOf = (base, rooms) => {
  const order = rooms.map(({ room }) => room)
  const within = rooms.flatMap((one) => (one.rooms ? rulesOf(`${base}${one.room}/`, one.rooms) : []))
  return [...looksDown(base, order), ...(base.endsWith('src/') ? [] : reachesNoRoomAbove(base, order)), ...within]
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rulesOf('packages/core/src/', house),
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-has-no-dependencies',
      comment: 'Core runs everywhere and depends on nothing, not even node:.',
      severity: 'error',
      from: { path: '^packages/core/src' },
      to: { pathNot: '^packages/core/src' },
    },
    {
      name: 'packages-only-via-entry',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/([^/]+)/src/',
        pathNot: [
          '^packages/$1/',
          '^packages/[^/]+/src/index\\.ts$',
          '^packages/(models/src/lazy|config/src/quantities|core/src/runtime/adapters)\\.ts$',
          '^packages/wire/src/(ai-sdk|openai-agents)/index\\.ts$',
        ],
      },
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
