import type { Message } from '../../history/message.ts'
import type { ToolDefinition } from '../../history/tool.ts'
import { answered } from './output-tools.ts'

/** `recall_history`: every character of every message on record, by search, by message number, and by column in one message. */
export function recallHistoryTool(history: () => Promise<readonly Message[]>): ToolDefinition {
  return {
    name: 'recall_history',
    description:
      'Looks into messages that are no longer shown: by a text, or by message number, as summaries and notes name them. A line that begins with such a number says who speaks; a backslash stands before lines of theirs that look so.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A text, a pattern or a question. Leave out to page.' },
        offset: { type: 'integer', minimum: 0, description: 'First message' },
        column: { type: 'integer', minimum: 1, description: 'Shows message "offset" alone, from this character on.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Messages or places, by default 20' },
      },
      additionalProperties: false,
    },
    execute: (input) => answered(async () => (await import('./recall-history.ts')).recallHistory(await history(), input)),
  }
}
