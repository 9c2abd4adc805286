// Runs dependency-cruiser and makes sure that it saw the code: with an unreadable compiler it would pass on nothing.
import { spawnSync } from 'node:child_process'

const result = spawnSync('depcruise', ['packages', '--config', '.dependency-cruiser.mjs', '--output-type', 'json'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
  shell: process.platform === 'win32',
})
const report = JSON.parse(result.stdout || '{"summary":{"violations":[],"totalCruised":0}}')
const { violations, totalCruised } = report.summary
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`)
const least = 60
if (totalCruised < least) {
  console.error(`Only ${totalCruised} modules were looked at, at least ${least} are there: the check is blind.\n${result.stderr}`)
  process.exit(1)
}
console.log(`${totalCruised} modules, ${violations.length} broken boundaries`)
process.exit(violations.length > 0 ? 1 : 0)
