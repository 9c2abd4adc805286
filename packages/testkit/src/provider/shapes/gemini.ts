import { type GeminiContent, validateGemini } from '../../wire/gemini.ts'
import type { PromptEntry } from '../prompt.ts'
import type { ModelReply } from '../recall-model.ts'
import { declaredOf, inOrder, list, number, signatureOf, type Usage, type WireHandler } from './shape.ts'

const usageOf = ({ inputTokens, cachedTokens, outputTokens }: Usage): object => ({
  promptTokenCount: inputTokens,
  cachedContentTokenCount: cachedTokens,
  candidatesTokenCount: outputTokens,
  totalTokenCount: inputTokens + outputTokens,
})

/** Gemini's generateContent and streamGenerateContent. Its calls have no ids: which one it was is known by what it said. */
export function gemini(): WireHandler {
  const issued = new Map<string, string>()
  let signed = false
  const keyOf = (name: string, args: unknown): string => `${name} ${JSON.stringify(args)}`
  const answer = (reply: ModelReply, usage: Usage): object => {
    signed ||= reply.thinking !== undefined
    const calls = reply.calls.map((call, at) => {
      const args = JSON.parse(call.input) as unknown
      issued.set(keyOf(call.tool, args), call.id)
      return { functionCall: { name: call.tool, args }, ...(at === 0 && reply.thinking !== undefined && { thoughtSignature: signatureOf(reply.thinking) }) }
    })
    const parts = inOrder<object>(reply, reply.text === '' ? [] : [{ text: reply.text }], calls)
    return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }], usageMetadata: usageOf(usage), modelVersion: 'strict' }
  }
  const readContent = (content: GeminiContent): readonly PromptEntry[] =>
    content.parts.map((part) => ({
      role: content.role === 'model' ? 'assistant' : 'user',
      text:
        part.text ??
        (part.functionCall === undefined ? JSON.stringify(part.functionResponse?.response ?? '') : keyOf(part.functionCall.name, part.functionCall.args)),
      callIds: part.functionCall === undefined ? [] : [issued.get(keyOf(part.functionCall.name, part.functionCall.args)) ?? ''],
      isResult: part.functionResponse !== undefined,
    }))
  return {
    name: 'gemini',
    matches: (path) => path.includes(':generateContent') || path.includes(':streamGenerateContent'),
    read(body, path) {
      const contents = list(body['contents']) as readonly GeminiContent[]
      const system = JSON.stringify(body['systemInstruction'] ?? '')
      return {
        prompt: [{ role: 'system', text: system, callIds: [], isResult: false }, ...contents.flatMap(readContent)],
        violations: validateGemini(contents, { signed }),
        serialized: [JSON.stringify(body['tools'] ?? []), system, ...contents.map((content) => JSON.stringify(content))],
        stream: path.includes(':streamGenerateContent'),
        declared: declaredOf(body['tools'], (body['toolConfig'] as { readonly functionCallingConfig?: unknown } | undefined)?.functionCallingConfig),
        maxOutput: number((body['generationConfig'] as { readonly maxOutputTokens?: unknown } | undefined)?.maxOutputTokens),
      }
    },
    refusal: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
    overflow: ({ input, reply, window }) => `The input token count (${input}) exceeds the maximum number of tokens allowed (${window - reply}).`,
    whole: answer,
    events: (reply, usage) => [`data: ${JSON.stringify(answer(reply, usage))}\n\n`],
  }
}
