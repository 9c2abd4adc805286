// Draws the rooms of core in AGENTS.md, top floor first, with what each really imports from.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export function roomsPicture() {
  const rooms = JSON.parse(readFileSync('packages/core/rooms.json', 'utf8'))
  const source = 'packages/core/src'
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  const roomOf = (file) => file.replaceAll('\\', '/').split('/')[0]
  const homeless = files.map(roomOf).filter((room) => !rooms.some((one) => one.room === room))
  if (homeless.length > 0) {
    throw new Error(`packages/core/rooms.json does not know ${[...new Set(homeless)].join(', ')}: every file of core stands in a room`)
  }
  const unlisted = rooms.flatMap((room) => foldersUnlisted(join(source, room.room), room.rooms))
  if (unlisted.length > 0) throw new Error(`packages/core/rooms.json does not say what ${unlisted.join(', ')} holds`)
  const below = new Map(rooms.map(({ room }) => [room, new Set()]))
  for (const file of files) {
    for (const [, path] of readFileSync(join(source, file), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const to = roomOf(posix.join(posix.dirname(file.replaceAll('\\', '/')), path))
      if (to !== roomOf(file)) below.get(roomOf(file)).add(to)
    }
  }
  const widest = Math.max(...rooms.map(({ room }) => room.length))
  const counted = (room) => files.filter((file) => roomOf(file) === room).length
  const floors = rooms.toReversed().map(({ room, holds, never, rooms: inner }) => {
    const uses = rooms.filter((one) => below.get(room).has(one.room)).map((one) => one.room)
    const indent = ' '.repeat(widest + 5)
    return `${room.padEnd(widest)} ${String(counted(room)).padStart(2)}  ${holds}\n${indent}never: ${never}\n${indent}uses: ${uses.join(', ') || 'nothing'}${drawn(inner, indent)}`
  })
  return [{ path: 'AGENTS.md', marked: { rooms: `\`\`\`text\n${floors.join('\n')}\n\`\`\`` } }]
}

/** Rooms within a room, top floor first as well. */
function drawn(rooms = [], indent) {
  const widest = Math.max(...rooms.map(({ room }) => room.length))
  return rooms
    .toReversed()
    .map(({ room, holds, rooms: inner }) => `\n${indent}${room.padEnd(widest)}  ${holds}${drawn(inner, `${indent}  `)}`)
    .join('')
}

/** Folders of a room that has rooms, and says nothing of these. */
function foldersUnlisted(folder, rooms) {
  if (rooms === undefined) return []
  const found = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const unlisted = found.filter(({ name }) => !rooms.some(({ room }) => room === name)).map(({ name }) => join(folder, name))
  return [...unlisted, ...rooms.flatMap((room) => foldersUnlisted(join(folder, room.room), room.rooms))]
}
