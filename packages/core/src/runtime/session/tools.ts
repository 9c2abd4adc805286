import type { MessageCodec } from '../../history/codec.ts'
import type { Message } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { type ToolDefinition, textField } from '../../history/tool.ts'
import { recallTool } from '../../recall/recall-tool.ts'
import { isUnnamed } from '../../state/keys.ts'
import type { PendingCompaction } from '../../state/state.ts'
import type { Effects } from '../effects.ts'
import { isDisabled } from '../platform/disabled.ts'
import type { Archive } from '../storage/archive.ts'
import type { ToolOutputStore } from '../storage/output-store.ts'
import { recallHistoryTool } from '../storage/recall-tool.ts'
import { boundedTool } from './host/bounded.ts'
import type { CompactionSession } from './session-types.ts'

/** What brings tools along. */
interface Sources<M> {
  readonly outputs?: Pick<ToolOutputStore, 'tools'> | undefined
  readonly archive?: Pick<Archive<M>, 'recallTool'> | undefined
}

/** Our tools for one conversation. */
export function ownTools<M>(
  { id, schedule }: Pick<CompactionSession<M>, 'id' | 'schedule'>,
  { outputs, archive, codec }: Sources<M> & { readonly codec: Pick<MessageCodec<M>, 'read'> },
  effects?: Effects,
  last?: () => Promise<readonly Message[]>,
): readonly ToolDefinition[] {
  const bounded =
    (what: string) =>
    (tool: ToolDefinition): ToolDefinition =>
      effects ? boundedTool(tool, what, effects) : tool
  // Conversations that begin alike and have no name are on record under one id: each looks into its own.
  const recall = archive ? [last && isUnnamed(id) ? recallHistoryTool(last) : archive.recallTool(id, codec)] : []
  return [compactContextTool({ schedule }), ...(outputs?.tools() ?? []).map(bounded('output store')), ...recall.map(bounded('archive'))]
}

/** For adapters: the same without a conversation, to be registered before there is one. */
export function describedTools<M>(options: Sources<M>): readonly Omit<ToolDefinition, 'execute'>[] {
  return isDisabled() ? [] : ownTools({ id: '', schedule: async () => undefined }, { ...options, codec: { read: () => ({ role: 'system', parts: [] }) } })
}

/** For adapters: names of all tools of ours, whose outputs are neither stored nor shortened as they arrive. */
export function ownToolNames<M>(options: Sources<M>): ReadonlySet<string> {
  return new Set([...describedTools(options).map(({ name }) => name), recallTool.name])
}

/** `compact_context`: the model says when a task is done and its details may go. The compaction happens before the next call. */
function compactContextTool(session: { schedule(request: Partial<PendingCompaction>): Promise<void> }): ToolDefinition {
  return {
    name: 'compact_context',
    description: 'Summarizes the older part of this conversation to make room. Use it when a task is finished and another begins, never in the middle of one.',
    inputSchema: {
      type: 'object',
      properties: { focus: { type: 'string', description: 'What the summary must keep in detail for the next task.' } },
      additionalProperties: false,
    },
    async execute(input) {
      const focus = textField(input, 'focus')
      await session.schedule({ by: 'agent', ...omitUndefined({ focus }) })
      return 'The conversation will be summarized before the next step. Go on with the next task.'
    },
  }
}
