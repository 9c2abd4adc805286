import type { ToolDefinition } from '../history/tool.ts'

/** The one tool that a model is offered, in few words: it stands in every prompt. Its definition alone: what it answers is `lookUp`. */
export const recallTool: Omit<ToolDefinition, 'execute'> = {
  name: 'precis_recall',
  description:
    'Looks up what was said earlier and is no longer shown: by words, or by the number of a message, as in [12]. Use it before you say that you do not know, or do work again.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Names, words or a question' },
      message: { type: 'integer', description: 'Number of a message to read, or search alone' },
      character: { type: 'integer', description: 'Where to read on' },
    },
    additionalProperties: false,
  },
}
