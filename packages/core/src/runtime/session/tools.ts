import { omitUndefined } from '../../history/omit-undefined.ts'
import { readInput, type ToolDefinition } from '../../history/tool.ts'
import type { PendingCompaction } from '../../state/state.ts'

/** `compact_context`: the model says when a task is done and its details may go. The compaction happens before the next call. */
export function compactContextTool(session: { schedule(request: Partial<PendingCompaction>): Promise<void> }): ToolDefinition {
  return {
    name: 'compact_context',
    description:
      'Summarizes the older part of this conversation to make room. Use it when a task is finished and another begins, never in the middle of one. The newest messages stay as they are.',
    inputSchema: {
      type: 'object',
      properties: { focus: { type: 'string', description: 'What the summary must keep in detail for the next task.' } },
      additionalProperties: false,
    },
    async execute(input) {
      const focus = readInput(input).text('focus')
      await session.schedule({ by: 'agent', ...omitUndefined({ focus }) })
      return 'The conversation will be summarized before the next step. Go on with the next task.'
    },
  }
}
