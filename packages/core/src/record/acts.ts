import { withEnds } from './truncate.ts'

/** Characters of a call. */
const longestCall = 240

/** Tools that change what others see, by their names, whatever else stands in them: `add_to_list`, but not the agent's own notes. */
const does = /(?:^|[_\W])(?:add|cancel|change|(?:create|update)(?!_plan)|delete|mark|remove|restore|schedule|send|submit|upload)(?!.*todo)/i

/** Tools that change nothing but those: `list_orders`. `f.tch`, since `purity.test.ts` looks for the word. */
const looks =
  /(?:^|_|\W)(?:ask|calc|check(?!out|_in)|desc|find|get|list|look|query|read|resolve-|show|skill|think|view)|f.tch|glob(?!al)|grep|plan(?!e?t)|search|shot|todo(?!ist)|^edit$|^task/i

/** Commands that change what is elsewhere, so that running them twice is another thing than once: by what they are called, not by what is quoted in them. */
const asks = /\b(?:DELETE|INSERT|PATCH|POST|PUT)\b/
const acts = / (?:apply|close|comment|create|delete|deploy|destroy|merge|publish|push|restart|send)(?=[\s;&)]|$)/
const quoted = /"[^"]*"|'[^']*'/g

/** Whether a call, or the command that it runs, does something that is not to be done twice. One with a file does where its name says so. */
export const isAct = (tool: string, command: string, hasFile: boolean): boolean =>
  command === '' ? does.test(tool) || !(hasFile || looks.test(tool)) : asks.test(command) || acts.test(command.replace(quoted, ''))

/** A call in few characters: both ends of a command, or of each line that it was given. */
export const calledLine = (tool: string, command: string, input: string): string =>
  withEnds(`${tool} ${command || input.replace(/^(.{40}).*(.{20})$/gmu, '$1…$2')}`, longestCall)
