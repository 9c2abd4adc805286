import { isRecord } from '../history/json.ts'

/** What a provider does with a conversation by itself: `keeps` it, so that requests carry only what is new, or `compacts` what it is sent. */
export type ProviderSide = 'keeps' | 'compacts'

const keeping = ['previousResponseId', 'previous_response_id', 'conversation', 'conversationId', 'conversation_id']
const compacting = ['contextManagement', 'context_management', 'compaction', 'compactionTrigger']

/**
 * Reads the settings of a call, as one object or one object a provider: `{ openai: { previousResponseId } }`, `{ anthropic: { contextManagement: { edits } } }`,
 * `{ context_management: [{ type: 'compaction' }] }`. Clearing old thinking is no compaction.
 *
 * @returns undefined where the settings say nothing of the kind. Never throws.
 * @see https://docs.claude.com/en/docs/build-with-claude/context-editing
 * @see https://platform.openai.com/docs/guides/conversation-state
 */
export function providerSide(settings: unknown): ProviderSide | undefined {
  const all = [settings, ...Object.values(Object(settings))].filter(isRecord)
  const says = (names: readonly string[], meant: (value: unknown) => boolean) => all.some((one) => names.some((name) => meant(one[name])))
  if (says(keeping, (value) => typeof value === 'string' || (isRecord(value) && 'id' in value))) return 'keeps'
  return says(compacting, compacts) ? 'compacts' : undefined
}

function compacts(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(compacts)
  if (!isRecord(value)) return value === true
  const { edits, type } = value
  return edits === undefined ? typeof type === 'string' && /^(?:compact|summarize|clear_tool)/.test(type) : compacts(edits)
}
