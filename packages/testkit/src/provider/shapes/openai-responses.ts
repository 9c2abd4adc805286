import { type ResponsesItem, validateOpenAIResponses } from '../../wire/openai-responses.ts'
import { validateStrictFunctions } from '../../wire/strict-functions.ts'
import type { Violation } from '../../wire/violation.ts'
import type { PromptEntry } from '../prompt.ts'
import type { ModelReply } from '../recall-model.ts'
import { declaredOf, event, inOrder, list, number, replyId, signatureOf, type Usage, type WireHandler } from './shape.ts'

const usageOf = ({ inputTokens, cachedTokens, outputTokens }: Usage): object => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: inputTokens + outputTokens,
})

/** What a stored response stands for: all items up to its end. */
interface Stored {
  readonly store: boolean
  readonly items: readonly ResponsesItem[]
}

/** OpenAI Responses: stateless and stored, `previous_response_id`, references to items of answers before. */
export function openaiResponses(): WireHandler {
  const responses = new Map<string, readonly ResponsesItem[]>()
  const items = new Map<string, ResponsesItem>()
  /** What each reasoning item came with. */
  const issued = new Map<string, ReadonlySet<string>>()
  const remember = (id: string, { store, items: input }: Stored, output: readonly ResponsesItem[]): void => {
    if (!store) return
    responses.set(id, [...input, ...output])
    for (const item of output) if (item.id !== undefined) items.set(item.id, item)
  }
  const answer = (reply: ModelReply, usage: Usage, own: Stored) => {
    const output = outputOf(reply)
    const id = replyId('resp')
    remember(id, own, output)
    const [first, ...rest] = output
    if (first?.type === 'reasoning') issued.set(first.id ?? '', new Set(rest.flatMap((item) => [item.id ?? '', item.call_id ?? ''])))
    return {
      output,
      response: {
        id,
        object: 'response',
        created_at: 0,
        status: 'completed',
        model: 'strict',
        output,
        usage: usageOf(usage),
        error: null,
        incomplete_details: null,
        ...defaults,
      },
    }
  }
  return {
    name: 'openai-responses',
    matches: (path) => path.endsWith('/responses'),
    read(body) {
      const missing: Violation[] = []
      const given =
        typeof body['input'] === 'string' ? [{ type: 'message', role: 'user', content: body['input'] }] : (list(body['input']) as readonly ResponsesItem[])
      const resolved = given.flatMap((item): ResponsesItem[] => {
        if (item.type !== 'item_reference') return [{ ...item, type: item.type ?? 'message' }]
        const found = items.get(item.id ?? '')
        if (found === undefined)
          missing.push({
            rule: 'stored-item',
            message: `Item with id '${item.id}' not found.${body['store'] === false ? ' Items are not persisted when `store` is set to false.' : ''}`,
          })
        return found === undefined ? [] : [found]
      })
      const previous = body['previous_response_id']
      const before = typeof previous === 'string' ? responses.get(previous) : []
      if (before === undefined) missing.push({ rule: 'stored-response', message: `Previous response with id '${String(previous)}' not found.` })
      const all = [...(before ?? []), ...resolved]
      const instructions = typeof body['instructions'] === 'string' ? body['instructions'] : ''
      return {
        prompt: [...(instructions === '' ? [] : [{ role: 'system', text: instructions, callIds: [], isResult: false }]), ...all.map(readItem)],
        violations: [...missing, ...validateStrictFunctions(body['tools']), ...validateOpenAIResponses(all, issued)],
        serialized: [JSON.stringify(body['tools'] ?? []), instructions, ...all.map((item) => JSON.stringify(item))],
        stream: body['stream'] === true,
        maxOutput: number(body['max_output_tokens']),
        declared: declaredOf(body['tools'], body['tool_choice']),
        own: { store: body['store'] !== false, items: all } satisfies Stored,
      }
    },
    refusal: (message, overflow) => ({ error: { message, type: 'invalid_request_error', param: 'input', code: overflow ? 'context_length_exceeded' : null } }),
    overflow: () => 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    whole: (reply, usage, incoming) => answer(reply, usage, incoming.own as Stored).response,
    events(reply, usage, incoming) {
      const { output, response } = answer(reply, usage, incoming.own as Stored)
      let sequence = 0
      const send = (type: string, data: object): string => event(type, { sequence_number: sequence++, ...data })
      const open = { ...response, status: 'in_progress', output: [], usage: null }
      return [
        send('response.created', { response: open }),
        send('response.in_progress', { response: open }),
        ...output.flatMap((item, index) => itemEvents(item, index, send)),
        send('response.completed', { response }),
      ]
    },
  }
}

/** Fields that clients expect in every response. */
const defaults = { instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, tool_choice: 'auto', tools: [], top_p: 1 }

function outputOf(reply: ModelReply): readonly ResponsesItem[] {
  const message = {
    type: 'message',
    id: replyId('msg'),
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: reply.text, annotations: [], logprobs: [] }],
  }
  const calls = reply.calls.map((call) => ({
    type: 'function_call',
    id: replyId('fc'),
    call_id: call.id,
    name: call.tool,
    arguments: call.input,
    status: 'completed',
  }))
  const thought = { type: 'reasoning', id: replyId('rs'), summary: [{ type: 'summary_text', text: reply.thinking ?? '' }] }
  return [
    ...(reply.thinking === undefined ? [] : [{ ...thought, encrypted_content: signatureOf(reply.thinking) }]),
    ...inOrder<ResponsesItem>(reply, reply.text === '' ? [] : [message], calls),
  ]
}

function itemEvents(item: ResponsesItem, output_index: number, send: (type: string, data: object) => string): readonly string[] {
  const at = { item_id: item.id, output_index }
  const done = send.bind(null, 'response.output_item.done')
  if (item.type === 'function_call') {
    return [
      send('response.output_item.added', { output_index, item: { ...item, arguments: '', status: 'in_progress' } }),
      send('response.function_call_arguments.delta', { ...at, delta: item.arguments }),
      send('response.function_call_arguments.done', { ...at, arguments: item.arguments, name: item.name }),
      done({ output_index, item }),
    ]
  }
  if (item.type === 'reasoning') {
    const [summary] = item.summary ?? []
    const piece = { ...at, summary_index: 0 }
    return [
      send('response.output_item.added', { output_index, item: { ...item, summary: [], encrypted_content: '' } }),
      send('response.reasoning_summary_part.added', { ...piece, part: { type: 'summary_text', text: '' } }),
      send('response.reasoning_summary_text.delta', { ...piece, delta: summary?.text }),
      send('response.reasoning_summary_text.done', { ...piece, text: summary?.text }),
      send('response.reasoning_summary_part.done', { ...piece, part: summary }),
      done({ output_index, item }),
    ]
  }
  const [part] = item.content as readonly { readonly text: string }[]
  const piece = { ...at, content_index: 0 }
  return [
    send('response.output_item.added', { output_index, item: { ...item, content: [], status: 'in_progress' } }),
    send('response.content_part.added', { ...piece, part: { ...part, text: '' } }),
    send('response.output_text.delta', { ...piece, delta: part?.text, logprobs: [] }),
    send('response.output_text.done', { ...piece, text: part?.text, logprobs: [] }),
    send('response.content_part.done', { ...piece, part }),
    done({ output_index, item }),
  ]
}

function readItem(item: ResponsesItem): PromptEntry {
  if (item.type === 'function_call')
    return { role: 'assistant', text: `${item.name ?? ''} ${item.arguments ?? ''}`, callIds: [item.call_id ?? ''], isResult: false }
  if (item.type === 'function_call_output') return { role: 'tool', text: textOf(item.output), callIds: [], isResult: true }
  return { role: item.role === 'developer' ? 'system' : (item.role ?? 'assistant'), text: textOf(item.content), callIds: [], isResult: false }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => String((part as { readonly text?: unknown }).text ?? ''))
    .join('\n')
}
