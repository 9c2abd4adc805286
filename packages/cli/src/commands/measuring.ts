import { type Command, Option } from 'commander'
import { splitTokens } from '../quantities.ts'
import { many } from '../terminal/amounts.ts'
import { checkNew, writeNew } from '../write.ts'
import { knownSettingsOf, noteWindow, type PolicyFlags, settingsOf } from './chosen.ts'
import { type JsonFlag, jsonOption, outOption, print, tokens, transcriptsOf, windowOption, withPolicy } from './options.ts'
import { progress } from './progress.ts'

type Flags = JsonFlag & PolicyFlags

const usualWindows = [16_000, 32_000, 64_000, 128_000]
const windows = (text: string): readonly number[] => splitTokens(text).map(tokens)

/** Commands that replay, draw and explain; what they need is loaded when they run. */
export function addMeasuring(program: Command): void {
  withPolicy(program.command('eval <file...>'))
    .description('replay your own transcripts under a policy, call by call: what it remembers, what it costs')
    .addOption(
      new Option('-w, --window <tokens>', "context windows to try, separated by commas (default: the configuration's, else 16k,32k,64k,128k)").argParser(
        windows,
      ),
    )
    .addOption(new Option('--windows <tokens>').argParser(windows).hideHelp())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl eval sessions.jsonl --window 32k,64k --preset cacheAware')
    .action(async (files: readonly string[], flags: Flags & { readonly window?: readonly number[]; readonly windows?: readonly number[] }) => {
      const { evaluate, renderEvaluations } = await import('../evaluate.ts')
      const { window: tried, windows: given = tried, ...chosen } = flags
      const { window, from, policy } = await knownSettingsOf({ ...chosen, window: given?.[0] })
      const found = await evaluate(await transcriptsOf(files), given ?? (window === undefined ? usualWindows : [window]), policy, progress)
      noteWindow({ window, from })
      print(flags, found, () => renderEvaluations(found))
    })

  withPolicy(program.command('report <file...>'))
    .description('write one HTML page: the context over time, each compaction, what it kept; works offline')
    .addOption(windowOption())
    .addOption(outOption().makeOptionMandatory())
    .addOption(
      new Option('--personal-data <how>', 'what to do with e-mail addresses and telephone numbers on the page').choices(['redact', 'keep']).default('redact'),
    )
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl report session.jsonl --window 64000 --out report.html')
    .action(async (files: readonly string[], flags: Flags & { readonly window?: number; readonly out: string; readonly personalData: 'redact' | 'keep' }) => {
      const [{ reportData }, { renderPage }] = await Promise.all([import('../report/data.ts'), import('../report/page.ts')])
      await checkNew(flags.out)
      const settings = await settingsOf(flags)
      const { window, policy } = settings
      const data = []
      const transcripts = await transcriptsOf(files)
      for (const [at, transcript] of transcripts.entries()) {
        progress(at, transcripts.length)
        data.push(await reportData(transcript, { window, policy, personalData: flags.personalData }))
      }
      progress(transcripts.length, transcripts.length)
      await writeNew(flags.out, renderPage(data))
      noteWindow(settings)
      if (flags.json === true) process.stdout.write(`${JSON.stringify(data)}\n`)
      else process.stderr.write(`${flags.out === '-' ? 'standard output' : flags.out}: ${many(data.length, 'conversation')}\n`)
    })

  const config = program.command('config').description('write, check and explain a configuration')
  config
    .command('init [file]')
    .description('write a file to start from (default: precis.yaml); it must not exist yet')
    .addHelpText('after', '\nExample: compactctl config init precis.yaml')
    .addOption(jsonOption())
    .action(async (file: string | undefined, flags: JsonFlag) => {
      const name = file ?? 'precis.yaml'
      await (await import('../configure.ts')).initConfig(name)
      if (name !== '-') print(flags, { file: name }, () => `${name} written`)
    })
  config
    .command('validate <file>')
    .description('check a configuration: which line is wrong, and what was expected')
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl config validate precis.yaml')
    .action(async (file: string, flags: JsonFlag) => {
      await (await import('../configure.ts')).validateConfig(file)
      print(flags, { file, valid: true }, () => `${file}: valid`)
    })
  config
    .command('explain [file]')
    .description('show every value in force, and whether it comes from the environment, the file or the preset')
    .addHelpText('after', '\nExample: compactctl config explain precis.yaml')
    .addOption(jsonOption())
    .action(async (file: string | undefined, flags: JsonFlag) => {
      const { explainConfig, renderExplanation } = await import('../configure.ts')
      const fields = await explainConfig(file)
      print(flags, fields, () => renderExplanation(fields))
    })
}
