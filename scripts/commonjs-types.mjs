// Declarations once more, below a folder that says "commonjs": a framework that is published twice, as CommonJS and as ES modules, has its types twice too, and those of
// classes do not fit each other. A program written in CommonJS is shown the same half of the framework that it imports itself. The code behind both is one.
import { cpSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const dist = resolve(process.argv[2])
const own = join(dist, 'commonjs')
rmSync(own, { recursive: true, force: true })
const isDeclaration = (path) => statSync(path).isDirectory() || path.endsWith('.d.ts')
const aside = join(tmpdir(), `precis-types-${process.pid}`)
cpSync(dist, aside, { recursive: true, filter: isDeclaration })
cpSync(aside, own, { recursive: true })
rmSync(aside, { recursive: true })
writeFileSync(join(own, 'package.json'), '{ "type": "commonjs" }\n')
writeFileSync(join(own, 'index.js'), "module.exports = require('../index.js')\n")
