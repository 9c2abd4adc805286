import type { Model, Reply, StreamEvent } from './model-call.ts'

/** The name of one model: as it was asked for, as the model itself has it, or as its first reply states it; and where it is served. */
export interface ModelName {
  readonly value: string | undefined
  /** The base URL of its client, where that can be seen. Core keeps a hash of it. */
  readonly endpoint: string | undefined
  /** Whether `modelSettings.contextManagement` goes out: models of Chat Completions and those of `aisdk()` leave it out. */
  readonly sendsContextManagement: boolean
  learn(said: Reply | StreamEvent | undefined): void
}

/** @param said - Where it is served, as the user says. */
export function createModelName(model: Model, asked: string | undefined, said: string | undefined): ModelName {
  const { _model, model: own, modelId, _client, client = _client } = Object(model) as { readonly [field: string]: unknown }
  const { baseURL } = Object(client) as { readonly baseURL?: unknown }
  let name = [asked, _model, own, modelId].find(isName)
  return {
    endpoint: [said, baseURL].find(isName),
    sendsContextManagement: !/ChatCompletions|AiSdk/.test(String(model.constructor?.name)),
    get value() {
      return name
    },
    learn: (reply) => {
      const { model, modelId, response } = (reply?.providerData ?? {}) as { readonly [field: string]: unknown }
      name ??= [model, modelId, (response as { readonly model?: unknown; readonly modelId?: unknown } | undefined)?.model].find(isName)
    },
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''
