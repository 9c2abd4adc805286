import type { RecordedMessage } from '../sessions/transcripts.ts'

/** A file's content as a tool showed it. */
export interface FileRead {
  readonly path: string
  /** Index of the message that shows it. */
  readonly at: number
  readonly text: string
}

const pathFields = ['file_path', 'path', 'filePath', 'file', 'filename', 'target_file', 'notebook_path', 'relative_path'] as const
const changing = /write|edit|replace|create|insert|append|patch|delete|remove|rename|move|update|apply/i
const listing = /grep|glob|search|find|list|^ls$/i

/** Every file that a tool showed, and the newest message that changed each file. */
export function filesOf(messages: readonly RecordedMessage[]): { readonly reads: readonly FileRead[]; readonly edits: ReadonlyMap<string, number> } {
  const shown = new Map<string, string>()
  const reads: FileRead[] = []
  const edits = new Map<string, number>()
  messages.forEach((message, at) => {
    for (const call of message.toolCalls ?? []) {
      const path = pathFields.map((field) => call.arguments[field]).find((value) => typeof value === 'string' && value !== '')
      if (typeof path !== 'string' || listing.test(call.name)) continue
      // One tool may do both: `str_replace_editor view`.
      const verb = typeof call.arguments['command'] === 'string' ? call.arguments['command'] : call.name
      if (changing.test(verb)) edits.set(path, at)
      else shown.set(call.id, path)
    }
    const path = message.role === 'tool' ? shown.get(message.toolCallId ?? '') : undefined
    if (path !== undefined && message.isError !== true) reads.push({ path, at, text: message.content })
  })
  return { reads, edits }
}
