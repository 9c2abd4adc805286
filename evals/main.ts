// `npm run evals`: does the agent still have what it will need, and is what it has a text? On recorded sessions and generated ones: necessary conditions, not task success.
//   (nothing)   every strategy, peers and bounds at every budget, tables, results/recall.json, texts.json, sessions.csv and evals.html
//   texts       the part of it that judges contexts as texts, and the generated sessions: ours beside five baselines, results/texts.json
//   gate        ours beside three baselines, and what must hold of every output; fails where a figure is worse by more than a point
//   store       writes the figures that the gate compares with
//   read        five contexts after a compaction, for a person to read (`--out=DIR` writes files)
//   replay      sessions replayed call by call: cost against recall
//   import      sessions of your own, of Claude Code, Codex and others, in the form that these commands measure (`--from=`, `--to=`)
//   recorded    summaries that real agents wrote, alone and beside our record
//   unasked     what comes back by itself with the messages of real users (`--show` prints it)
//   live        twenty long tasks with a real model (`--model openai:…`), with Précis and without: finished, right, tokens, money; asks before it spends
//   fit         what was fitted, judged on repositories and months that were held out (`--write` fits anew); redaction: secrets found, innocent texts changed

const other: Readonly<Record<string, () => Promise<unknown>>> = {
  redaction: () => import('./redaction/main.ts'),
  fit: () => import('./fit.ts'),
  read: () => import('./read.ts'),
  replay: () => import('./replay.ts'),
  unasked: () => import('./unasked.ts'),
  import: () => import('./import.ts'),
  recorded: () => import('./recorded.ts'),
  live: () => import('./live/main.ts'),
}
const command = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? 'all'
// Nothing is loaded before it is known what for: `fit` changes the library as it is loaded.
if (command in other) await other[command]?.()
else if (['all', 'texts', 'gate', 'store'].includes(command)) await (await import('./recall.ts')).recall(command)
else {
  console.error(`"${command}" is no command of the evals. Write one of: texts, gate, store, ${Object.keys(other).join(', ')}; or none, for all of it.`)
  process.exitCode = 1
}
