export const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n')
const time = { timestamp: '2026-11-21T10:00:00Z' }

/** One conversation, as each of them writes it down. */
export const shapes: Readonly<Record<string, string>> = {
  anthropic: JSON.stringify({
    model: 'x',
    messages: [
      { role: 'user', content: 'fix it' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'no such file' }], is_error: true }] },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ],
  }),
  'openai-responses': JSON.stringify([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'fix it' }] },
    { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'no such file' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
  ]),
  'openai-agents': JSON.stringify([
    { type: 'message', role: 'user', content: 'fix it' },
    { type: 'reasoning', id: 'rs', content: [{ type: 'input_text', text: 'hm' }] },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', callId: 'c1', name: 'read', arguments: '{"path":"a"}', status: 'completed' },
    { type: 'function_call_result', callId: 'c1', name: 'read', status: 'completed', output: { type: 'text', text: 'no such file' } },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] },
  ]),
  gemini: JSON.stringify({
    contents: [
      { role: 'user', parts: [{ text: 'fix it' }] },
      { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'I look.' }, { functionCall: { name: 'read', args: { path: 'a' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { error: 'no such file' } } }] },
      { role: 'model', parts: [{ text: 'done' }] },
    ],
  }),
  langchain: JSON.stringify([
    { type: 'human', data: { content: 'fix it' } },
    { type: 'ai', data: { content: 'I look.', tool_calls: [{ id: 'c1', name: 'read', args: { path: 'a' } }] } },
    { type: 'tool', data: { content: 'no such file', tool_call_id: 'c1', name: 'read', status: 'error' } },
    { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs: { content: 'done' } },
  ]),
  'ui-messages': JSON.stringify([
    { id: '1', role: 'user', parts: [{ type: 'text', text: 'fix it' }] },
    {
      id: '2',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'I look.' },
        { type: 'tool-read', toolCallId: 'c1', state: 'output-error', input: { path: 'a' }, errorText: 'no such file' },
        { type: 'step-start' },
        { type: 'text', text: 'done' },
      ],
    },
  ]),
  'claude-code': lines([
    { type: 'summary', summary: 'Fixing', leafUuid: 'u3' },
    { type: 'user', uuid: 'u1', isSidechain: false, ...time, message: { role: 'user', content: 'fix it' } },
    {
      type: 'assistant',
      uuid: 'u2',
      ...time,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'I look.' },
        ],
      },
    },
    { type: 'assistant', uuid: 'u3', ...time, message: { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } }] } },
    { type: 'user', uuid: 's1', isSidechain: true, ...time, message: { role: 'user', content: 'another agent’s task' } },
    {
      type: 'user',
      uuid: 'u4',
      ...time,
      toolUseResult: {},
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'no such file', is_error: true }] },
    },
    { type: 'system', uuid: 'x', content: 'bookkeeping' },
    { type: 'assistant', uuid: 'u5', ...time, message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] } },
  ]),
  codex: lines([
    { ...time, type: 'session_meta', payload: { id: 'x', cwd: '/w', cli_version: '1' } },
    { ...time, type: 'event_msg', payload: { type: 'token_count' } },
    { ...time, type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'fix it' }] } },
    { ...time, type: 'response_item', payload: { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' } },
    { ...time, type: 'response_item', payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] } },
    { ...time, type: 'response_item', payload: { type: 'function_call', name: 'read', arguments: '{"path":"a"}', call_id: 'c1' } },
    { ...time, type: 'response_item', payload: { type: 'function_call_output', call_id: 'c1', output: 'no such file' } },
    { ...time, type: 'response_item', payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] } },
  ]),
  pi: lines([
    { type: 'session', id: 'x', cwd: '/w', ...time },
    { type: 'message', id: '1', ...time, message: { role: 'user', content: [{ type: 'text', text: 'fix it' }] } },
    {
      type: 'message',
      id: '2',
      ...time,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'I look.' },
          { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
        ],
      },
    },
    {
      type: 'message',
      id: '3',
      ...time,
      message: { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'no such file' }], isError: true },
    },
    { type: 'message', id: '4', ...time, message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] } },
  ]),
  'gemini-cli': JSON.stringify({
    sessionId: 'x',
    projectHash: 'y',
    messages: [
      { id: '1', ...time, type: 'user', content: 'fix it' },
      {
        id: '2',
        ...time,
        type: 'gemini',
        content: 'I look.',
        thoughts: [{ subject: 'hm', description: 'well' }],
        toolCalls: [
          {
            id: 'c1',
            name: 'read',
            args: { path: 'a' },
            status: 'error',
            result: [{ functionResponse: { id: 'c1', name: 'read', response: { error: 'no such file' } } }],
          },
        ],
        model: 'm',
      },
      { id: '3', ...time, type: 'info', content: 'bookkeeping' },
      { id: '4', ...time, type: 'gemini', content: 'done' },
    ],
  }),
  opencode: JSON.stringify({
    info: { id: 'ses_1', title: 'Fixing' },
    messages: [
      { info: { id: 'm1', role: 'user' }, parts: [{ type: 'text', text: 'fix it' }] },
      {
        info: { id: 'm2', role: 'assistant' },
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'I look.' },
          { type: 'tool', callID: 'c1', tool: 'read', state: { status: 'error', input: { path: 'a' }, error: 'no such file' } },
          { type: 'step-finish' },
          { type: 'step-start' },
          { type: 'text', text: 'done' },
        ],
      },
    ],
  }),
}
