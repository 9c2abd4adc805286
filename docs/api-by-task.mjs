// How the API is laid out: pages bear the names of packages; what is called stands before what is passed, `withX` and `createX` before all. The core's page has the
// sections of its index.ts, the compactor first.
import { readFileSync } from 'node:fs'
import { Converter, PageEvent, ReflectionCategory, ReflectionKind } from 'typedoc'

const kinds = [ReflectionKind.Function, ReflectionKind.Class, ReflectionKind.Variable, ReflectionKind.Interface, ReflectionKind.TypeAlias]
const first = [/^with[A-Z]/, /^createCompact/, /^create[A-Z]/]
const placeOf = ({ kind, name }) => kinds.indexOf(kind) * 4 + ((first.findIndex((one) => one.test(name)) + 4) % 4)
const inOrder = (a, b) => placeOf(a) - placeOf(b) || a.name.localeCompare(b.name)
const isType = ({ kind }) => kind === ReflectionKind.Interface || kind === ReflectionKind.TypeAlias

/** The sections of the core's index.ts: titles, and the members that each exports. */
function coreParts(members) {
  const text = readFileSync(new URL('../packages/core/src/index.ts', import.meta.url), 'utf8')
  const [, , ...rooms] = text.split(/^\/\/ /m)
  const parts = rooms.map((room) => {
    const [title, ...code] = room.split('\n')
    const lists = [...code.join('\n').matchAll(/export (?:type )?\{([^}]+)\}/g)].map(([, list]) => list)
    const names = new Set(lists.flatMap((list) => list.split(',').map((one) => one.trim().split(' ').at(-1))))
    return [title, members.filter(({ name }) => names.has(name))]
  })
  // What runs is what most look for: the last room is the first section.
  return [parts.at(-1), ...parts.slice(0, -1)]
}

/**
 * The same page with links to headings that are there: whoever writes them takes the member `Archive.repair`, which has no heading, for another `ArchiveRepair`,
 * and leads to `#archiverepair-1`.
 */
function withHeadings(text) {
  const headings = Map.groupBy(text.match(/^#+ .+$/gm) ?? [], (line) => line.replace(/\W/g, '').toLowerCase())
  const isThere = (address, number) => text.includes(`id="${address}-${number}"`) || (headings.get(address)?.length ?? 0) > Number(number)
  return text.replace(/\]\(#(\w+)-(\d+)\)/g, (link, address, number) => (isThere(address, number) ? link : `](#${address})`))
}

export function load(app) {
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = withHeadings(page.contents)
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) module.name = module.name.replace(/^(.+)\/src$/, '@precis/$1')
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const members = [...module.children].sort(inOrder)
      const parts =
        module.name === '@precis/core'
          ? coreParts(members)
          : [
              ['What you call', members.filter((one) => !isType(one))],
              ['Types', members.filter(isType)],
            ]
      module.categories = parts.flatMap(([title, children]) => {
        const category = new ReflectionCategory(title)
        category.children = children
        return children.length === 0 ? [] : [category]
      })
    }
  })
}
