import type { Message } from '@precis/core'
import type { Violation } from './violation.ts'

export interface AnthropicBlock {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly content?: unknown
  readonly thinking?: string
  readonly signature?: string
  /** A sealed thought. */
  readonly data?: string
}

export interface AnthropicMessage {
  readonly role: string
  readonly content: string | readonly AnthropicBlock[]
}

/** Neutral messages as the Anthropic Messages API takes them: system apart, neighbors of one role merged. */
export function toAnthropic(messages: readonly Message[]): readonly AnthropicMessage[] {
  const wire: { role: string; content: AnthropicBlock[] }[] = []
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks: AnthropicBlock[] = []
    for (const part of message.parts) {
      if (part.type === 'text') blocks.push({ type: 'text', text: part.text })
      else if (part.type === 'media') blocks.push({ type: 'image' })
      else if (part.type === 'tool-call') blocks.push({ type: 'tool_use', id: part.callId, name: part.tool, input: {} })
      else if (part.type === 'tool-result') blocks.push({ type: 'tool_result', tool_use_id: part.callId, content: part.output })
      else if (part.type === 'reasoning') blocks.push({ type: 'thinking', text: part.text })
    }
    const last = wire.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else wire.push({ role, content: blocks })
  }
  return wire
}

export interface AnthropicRequest {
  /** Thinking is on. */
  readonly thinking?: boolean
  /** The request's own list of tools; undefined where nobody says. */
  readonly tools?: readonly unknown[]
}

/** What the Anthropic Messages API refuses. */
export function validateAnthropic(messages: readonly AnthropicMessage[], options: AnthropicRequest = {}): readonly Violation[] {
  const found: Violation[] = []
  const add = (rule: string, message: string): number => found.push({ rule, message })
  if (messages.length === 0) add('not-empty', 'messages: at least one message is required')
  if (messages[0] !== undefined && messages[0].role !== 'user') add('first-user', 'messages: first message must use the "user" role')
  if (messages.at(-1)?.role === 'assistant')
    add('no-prefill', 'This model does not support assistant message prefill. The conversation must end with a user message.')
  const everUsed = new Set<string>()
  messages.forEach((message, at) => {
    if (message.role !== 'user' && message.role !== 'assistant')
      add(
        'roles',
        `messages: Unexpected role "${message.role}". The Messages API accepts a top-level \`system\` parameter, not "system" as an input message role.`,
      )
    const blocks = blocksOf(message)
    if (blocks.length === 0) add('content', `messages.${at}: all messages must have non-empty content except for the optional final assistant message`)
    if (blocks.some((block) => block.type === 'text' && block.text === '')) add('text', 'messages: text content blocks must be non-empty')
    const asked = blocksOf(messages[at - 1]).flatMap((block) => (block.type === 'tool_use' ? [block.id ?? ''] : []))
    const answered = new Set<string>()
    blocks.forEach((block, part) => {
      const id = block.tool_use_id ?? ''
      if (block.type === 'tool_use') {
        if (everUsed.has(block.id ?? '')) add('ids-unique', `messages.${at}.content.${part}: \`tool_use\` ids must be unique`)
        everUsed.add(block.id ?? '')
      }
      if (block.type === 'thinking' && block.signature === '') add('thinking-signed', `messages.${at}.content.${part}.thinking.signature: Field required`)
      if (block.type !== 'tool_result') return
      if (part > 0 && blocks[part - 1]?.type !== 'tool_result' && asked.includes(id)) {
        add(
          'results-first',
          `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        )
      }
      if (!asked.includes(id)) {
        add(
          'result-follows-call',
          `messages.${at}.content.${part}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        )
      }
      if (answered.has(id))
        add('one-result', `messages.${at}.content.${part}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`)
      answered.add(id)
    })
    const next = blocksOf(messages[at + 1]).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id ?? ''] : []))
    const unanswered = blocks.flatMap((block) => (block.type === 'tool_use' && !next.includes(block.id ?? '') ? [block.id ?? ''] : []))
    if (unanswered.length > 0) {
      add(
        'calls-answered',
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      )
    }
  })
  if (options.thinking === true) checkThinking(messages, add)
  const usesTools = messages.some((message) => blocksOf(message).some(({ type }) => type === 'tool_use' || type === 'tool_result'))
  if (options.tools?.length === 0 && usesTools) add('tools-declared', 'Requests which include `tool_use` or `tool_result` blocks must define tools')
  return found
}

function checkThinking(messages: readonly AnthropicMessage[], add: (rule: string, message: string) => void): void {
  const at = messages.findLastIndex((message) => message.role === 'assistant')
  const blocks = blocksOf(messages[at])
  if (!blocks.some((block) => block.type === 'tool_use') || blocks[0]?.type === 'thinking' || blocks[0]?.type === 'redacted_thinking') return
  add(
    'thinking-first',
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${blocks[0]?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  )
}

function blocksOf(message: AnthropicMessage | undefined): readonly AnthropicBlock[] {
  if (message === undefined) return []
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
}
