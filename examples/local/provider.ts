import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChatMessage, LocalModel } from './model.ts'

interface Answered {
  readonly status: number
  readonly inputTokens: number
  readonly cachedTokens: number
}

export interface LocalProvider {
  /** Base URL of an OpenAI-compatible endpoint on loopback. */
  readonly url: string
  readonly requests: readonly Answered[]
  close(): Promise<void>
}

/** The model behind `/chat/completions`. A request that does not fit the window is refused, as the server of llama.cpp refuses it. */
export async function serve(model: LocalModel): Promise<LocalProvider> {
  const requests: Answered[] = []
  let queue: Promise<unknown> = Promise.resolve()
  const server = createServer((request, response) => {
    // One sequence, one request at a time.
    queue = queue
      .then(async () => requests.push(await answer(model, request, response)))
      .catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  model: LocalModel,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answered> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
    readonly messages: readonly {
      readonly role: string
      readonly content: string | readonly { readonly text?: string }[]
    }[]
    readonly max_tokens?: number
  }
  const messages = body.messages.map(({ role, content }) => ({
    role,
    content: textOf(content),
  }))
  const [inputTokens, maxTokens] = [
    model.count(messages),
    body.max_tokens ?? 64,
  ]
  if (inputTokens + maxTokens > model.window) {
    const message = `the request exceeds the available context size (${inputTokens} tokens and ${maxTokens} for the reply; the context size is ${model.window} tokens)`
    send(response, 400, {
      error: {
        code: 400,
        message,
        type: 'exceed_context_size_error',
        n_prompt_tokens: inputTokens,
        n_ctx: model.window,
      },
    })
    return { status: 400, inputTokens, cachedTokens: 0 }
  }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const done = await model.complete(messages, maxTokens, gone.signal)
  send(response, 200, {
    id: `chatcmpl-${inputTokens}`,
    object: 'chat.completion',
    created: 0,
    model: 'local',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: done.text },
        finish_reason: done.finish,
      },
    ],
    usage: {
      prompt_tokens: done.inputTokens,
      completion_tokens: done.outputTokens,
      total_tokens: done.inputTokens + done.outputTokens,
      prompt_tokens_details: { cached_tokens: done.cachedTokens },
    },
  })
  return { status: 200, inputTokens, cachedTokens: done.cachedTokens }
}

function textOf(
  content: string | readonly { readonly text?: string }[],
): ChatMessage['content'] {
  return typeof content === 'string'
    ? content
    : content.map((part) => part.text ?? '').join('')
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(body))
}
