import { availableParallelism } from 'node:os'

/** The little of node-llama-cpp that is used here; it is installed when the demo runs. */
interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>
}
interface LlamaModel {
  readonly trainContextSize: number
  tokenize(text: string, specialTokens: boolean): number[]
  detokenize(tokens: readonly number[]): string
  isEogToken(token: number): boolean
  createContext(options: {
    contextSize: number
    flashAttention: boolean
    threads: number
  }): Promise<{ getSequence(): LlamaSequence }>
}
interface LlamaSequence {
  readonly contextTokens: readonly number[]
  readonly nextTokenIndex: number
  eraseContextTokenRanges(
    ranges: readonly { start: number; end: number }[],
  ): Promise<void>
  evaluate(
    tokens: readonly number[],
    options: { temperature: number },
  ): AsyncGenerator<number, void>
}

export interface ChatMessage {
  readonly role: string
  readonly content: string
}

interface Completion {
  readonly text: string
  readonly inputTokens: number
  /** Of these, how many were still in memory from the request before. */
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly finish: 'stop' | 'length'
}

export interface LocalModel {
  /** Tokens of the window, reply included: what was asked for, at most what the model was trained with. */
  readonly window: number
  /** Tokens of a request, by the model's own tokenizer and template. */
  count(messages: readonly ChatMessage[]): number
  complete(
    messages: readonly ChatMessage[],
    maxTokens: number,
    signal: AbortSignal,
  ): Promise<Completion>
}

/** Loads the weights on the CPU; the threads are named, since more of them than cores wait for each other. What a request shares with the one before it is not evaluated again. @param mostWindow Tokens: a smaller window is full sooner. */
export async function loadModel(
  runtime: string,
  weights: string,
  mostWindow: number,
): Promise<LocalModel> {
  const { getLlama } = (await import(runtime)) as {
    getLlama(options: object): Promise<Llama>
  }
  const llama = await getLlama({
    build: 'never',
    gpu: false,
    skipDownload: true,
    progressLogs: false,
  })
  const model = await llama.loadModel({ modelPath: weights })
  const window = Math.min(mostWindow, model.trainContextSize)
  const sequence = (
    await model.createContext({
      contextSize: window,
      flashAttention: true,
      threads: availableParallelism(),
    })
  ).getSequence()
  const prompt = (messages: readonly ChatMessage[]): number[] => [
    ...messages.flatMap(({ role, content }) => [
      ...model.tokenize(`<|im_start|>${role}\n`, true),
      ...model.tokenize(content, false), // never as special tokens: a text cannot end its own message
      ...model.tokenize('<|im_end|>\n', true),
    ]),
    ...model.tokenize('<|im_start|>assistant\n', true),
  ]
  return {
    window,
    count: (messages) => prompt(messages).length,
    async complete(messages, maxTokens, signal) {
      const tokens = prompt(messages)
      // The last token is always evaluated: the reply starts from it.
      const shared = Math.min(
        sharedPrefix(tokens, sequence.contextTokens),
        tokens.length - 1,
      )
      if (shared < sequence.nextTokenIndex)
        await sequence.eraseContextTokenRanges([
          { start: shared, end: sequence.nextTokenIndex },
        ])
      const reply: number[] = []
      let finish: Completion['finish'] = 'stop'
      for await (const token of sequence.evaluate(tokens.slice(shared), {
        temperature: 0,
      })) {
        if (signal.aborted || model.isEogToken(token)) break
        reply.push(token)
        if (reply.length < maxTokens) continue
        finish = 'length'
        break
      }
      return {
        text: model.detokenize(reply).trim(),
        inputTokens: tokens.length,
        cachedTokens: shared,
        outputTokens: reply.length,
        finish,
      }
    },
  }
}

function sharedPrefix(
  one: readonly number[],
  other: readonly number[],
): number {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one[at] === other[at]) at++
  return at
}
