#!/usr/bin/env node
// Of a Node that is too old the names of what it lacks would be a syntax error.
import * as nodeModule from 'node:module'

const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 12)) {
  // What Node compiled of this program is there for the next command. It has to be said before the rest is loaded.
  nodeModule.enableCompileCache?.()
  await import('./run.ts')
} else {
  process.stderr.write(
    `compactctl: it needs Node 22.12 or newer; this is ${node}.\n  Install a newer one, or run it with one: npx -p node@24 -p @precis/cli compactctl\n`,
  )
  process.exitCode = 2
}
