import type { ToolResultPart } from '@precis/core'
import { argumentsOf, type Fields, fields, list, text } from './json.ts'
import { answers, readHeld } from './openai-responses-items.ts'
import { withText } from './result-blocks.ts'

/** A call with shorter texts, each in the field from which it was read. */
export function withInput(block: unknown, input: string): unknown {
  const item = fields(block)
  if (item['type'] === 'function_call') return { ...item, arguments: input }
  if (item['type'] === 'custom_tool_call') return { ...item, input }
  const { commands, command, diff, text: typed } = argumentsOf(input)
  const within = (field: string, own: Fields): Fields => ({ ...item, [field]: { ...fields(item[field]), ...own } })
  if (item['type'] === 'shell_call' && Array.isArray(commands)) return within('action', { commands })
  if (item['type'] === 'local_shell_call' && Array.isArray(command)) return within('action', { command })
  if (item['type'] === 'apply_patch_call' && typeof diff === 'string') return within('operation', { diff })
  return item['type'] === 'computer_call' && typeof typed === 'string' ? within('action', { text: typed }) : undefined
}

/** An answer with another text. A screenshot has none. */
export function withOutput(block: unknown, said: string, keepAttachments: boolean): unknown {
  const item = fields(block)
  const { type, output } = item
  if (type === 'computer_call_output' || !answers.has(text(type))) return undefined
  if (type === 'shell_call_output') return { ...item, output: [{ ...fields(list(output).at(-1)), stdout: said, stderr: '' }] }
  return { ...item, output: withText(output, said, keepAttachments, { read: readHeld, make: (made) => ({ type: 'input_text', text: made }) }) }
}

/**
 * Answers a call in its own kind. Where a kind has to say how it went, it did not succeed as far as anybody knows. Nobody can make the picture that a computer
 * answers with.
 */
export function answer(call: unknown, { callId, output }: ToolResultPart): unknown {
  const { type, caller } = fields(call)
  const item = { type: `${text(type)}_output`, call_id: callId, ...(caller !== undefined && { caller }) }
  if (type === 'computer_call') return undefined
  if (type === 'shell_call') return { ...item, output: [{ stdout: output, stderr: '', outcome: { type: 'timeout' } }] }
  if (type === 'apply_patch_call') return { ...item, status: 'failed', output }
  return type === 'local_shell_call' ? { ...item, id: callId, output } : { ...item, output }
}
