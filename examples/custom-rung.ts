import {
  type CustomRung,
  createCompactor,
  neutralCodec,
  type PartitionRule,
} from '@precis/core'
import {
  customRungCases,
  generateHistory,
  partitionRuleCases,
} from '@precis/testkit'

const failuresOnly: CustomRung = {
  name: 'failures-only',
  shorten: ({ tool, output }) =>
    tool === 'run_tests'
      ? output
          .split('\n')
          .filter((line) => line.startsWith('FAIL'))
          .join('\n')
      : undefined,
}
const decisions: PartitionRule = {
  name: 'decisions',
  keeps: (messages) =>
    messages.some(({ parts }) =>
      parts.some(
        (part) => part.type === 'text' && part.text.includes('DECISION:'),
      ),
    ),
}

// The same cases that ours pass; any test runner will do.
for (const { name, run } of customRungCases)
  await run(failuresOnly).then(() => console.log(`✓ ${name}`))
for (const { name, run } of partitionRuleCases)
  await run(decisions).then(() => console.log(`✓ ${name}`))

const compactor = createCompactor({
  codec: neutralCodec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
  rungs: [failuresOnly],
  partition: [decisions],
  policy: { prune: { ladder: ['superseded', 'failures-only', 'view'] } },
})
const { report } = await compactor
  .session('one')
  .beforeModelCall(generateHistory(5, { turns: 40 }))
console.log(
  `${report.outcome}: ${report.tokens.before} → ${report.tokens.after} tokens`,
)
