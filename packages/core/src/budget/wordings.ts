/** What there was too much of; `media`: attachments. */
export type OverflowUnit = 'tokens' | 'bytes' | 'media'

/** One wording. Capture groups named `limit`, `input` (the prompt), `reply` and `requested` (the prompt, or prompt and reply) are read as numbers. */
export interface ErrorPattern {
  readonly kind: 'overflow' | 'malformed'
  readonly pattern: RegExp
  readonly unit?: OverflowUnit
  /** Too vague alone: counts only with HTTP status 400, 413 or 422. */
  readonly needsStatus?: boolean
}

const n = (name: string): string => `(?<${name}>[\\d,]+)`
/** A number of attachments, not of their size. */
const media = `${n('limit')}(?![\\d,]|\\.\\d| ?(?:[KMG]i?B|\\w*(?:bytes|pixels)|px|tokens|[x×]))`
const overflow = (source: string, more: Partial<ErrorPattern> = {}): ErrorPattern => ({
  kind: 'overflow',
  pattern: new RegExp(source, 'i'),
  ...more,
})
const malformed = (source: string): ErrorPattern => ({ kind: 'malformed', pattern: new RegExp(source, 'i') })

/** Provider wordings, most specific first. Source of each: the overflow table of shipping agents, November 2026 (docs/faults.md). */
export const errorPatterns: readonly ErrorPattern[] = [
  overflow(`prompt is too long(?:: ${n('input')}(?: tokens? >|,[\\s\\S]{0,40}? length:) ${n('limit')})?`), // Anthropic, Fireworks
  overflow(`input length and .?max_tokens.? exceed context limit(?:: ${n('input')} \\+ ${n('reply')} > ${n('limit')})?`), // Anthropic
  overflow('request_too_large|exceeds the maximum (?:size|allowed number of bytes)|payload size exceeds', { unit: 'bytes' }), // Anthropic (HTTP 413), Google (HTTP 400)
  overflow(
    `maximum context length is ${n('limit')}(?: tokens)?(?:[\\s\\S]{0,80}?(?:requested (?:about )?${n('requested')}(?![\\d,]| output)|resulted in ${n('input')}))?`,
  ), // OpenAI, DeepSeek, vLLM, OpenRouter
  overflow(`input token count(?: \\(${n('input')}\\))? exceeds the maximum number of tokens allowed(?: \\(${n('limit')}\\))?`), // Google
  overflow(`input token count is ${n('input')} but (?:the )?model (?:only )?supports up to ${n('limit')}`), // Vertex AI
  overflow(`input tokens exceed the configured limit of ${n('limit')}(?:[\\s\\S]{0,40}?resulted in ${n('input')})?`), // OpenAI, Azure
  overflow(`maximum prompt length is ${n('limit')}(?:[\\s\\S]{0,60}?contains ${n('input')})?`), // xAI
  overflow(`too large for model with ${n('limit')} maximum context length`), // Mistral
  overflow(`maximum allowed input length of ${n('limit')}`), // OpenRouter
  overflow(`(?:\\(length ${n('input')}\\) )?is longer than the maximum model length of ${n('limit')}`), // vLLM
  overflow(`current length is ${n('input')} while limit is ${n('limit')}`), // Cerebras
  overflow(`tokens \\(${n('requested')}\\) exceeded this model context window limit \\(${n('limit')}`), // Cloudflare Workers AI
  overflow(`input \\(${n('input')} tokens\\) is longer than[\\s\\S]{0,40}?context length \\(${n('limit')}`), // Together
  overflow(`tokens \\+ .?max_new_tokens.? must be <= ${n('limit')}(?:[\\s\\S]{0,20}?given: ${n('input')} .?inputs.? tokens and ${n('reply')})?`), // Text Generation Inference, Together (HTTP 422)
  overflow(`inputs.? must have less than ${n('limit')} tokens\\.(?: given: ${n('input')})?`), // Text Generation Inference
  overflow(`number of input tokens ${n('input')} cannot exceed the total tokens limit ${n('limit')}`), // watsonx
  overflow(
    `(?:input length|input tokens|prompt_tokens)(?: \\(?${n('input')}(?: tokens)?\\)?)? (?:exceeds|has exceeded|must be less than) (?:(?:the )?maximum (?:allowed )?length|max_\\w+)(?: \\(?${n('limit')})?`,
  ), // Ark, Nova, SiliconFlow, SGLang
  overflow(`range of input length should be \\[\\d+, ${n('limit')}`), // DashScope
  overflow('prompt exceeds max length|prompt 超长|tokens in request more than max tokens allowed'), // Z.AI
  overflow(`token count of ${n('input')} exceeds the limit of ${n('limit')}`), // GitHub Copilot
  overflow(`(?:request|prompt).{0,10}\\(${n('input')}.{0,7}\\) exceeds? .{0,15}(?:context|input) (?:size|window|length).{1,4}?${n('limit')}`), // llama.cpp, llama-cpp-python, TensorRT-LLM
  overflow(`prompt is ${n('input')} tokens long[\\s\\S]{0,200}? just ${n('limit')}`), // SambaNova
  overflow(`exceeds (?:the )?(?:model'?s )?maximum context length(?:\\D{0,10}${n('limit')})?`), // LiteLLM and proxies
  overflow(`context length (?:is|of) only ${n('limit')}`), // vLLM, LM Studio
  overflow(
    'exceeds the context window|prompt contains[\\s\\S]{0,40}?\\d+ input tokens|input length[\\s\\S]{0,60}?exceeds[\\s\\S]{0,40}?context length|requested input length[\\s\\S]{0,40}?exceeds[\\s\\S]{0,40}?maximum',
  ), // OpenAI Responses, vLLM, Alibaba
  // Bedrock, Groq, Ollama, MiniMax, llama.cpp, LM Studio
  overflow(
    'input is too long|reduce the length of (?:the |either )|prompt too long; exceeded (?:max )?context length|context window exceeds limit|exceeds the available context size|context size has been exceeded|context shift is disabled|greater than the context length',
  ),
  overflow(`exceeded model token limit:? ?${n('limit')}?(?:[\\s\\S]{0,20}?requested:? ?${n('requested')})?`), // Moonshot
  overflow('ContextOverflowError|^CONTEXT_OVERFLOW$'), // class names: LangChain
  overflow('(?:request entity|payload|content) too large|string too long\\. Expected [\\w ]+ maximum length \\d{6}', { unit: 'bytes' }), // HTTP 413, OpenAI
  overflow(`too (?:many images|much media:)(?:[\\s\\S]{0,60}?(?: > |up to |max(?:imum)? (?:allowed )?(?:is|of) )${media})?`, { unit: 'media' }), // Anthropic, Azure, GitHub Copilot, Groq
  overflow(`at most ${n('limit')} (?:image|video|audio)\\S* (?:may be provided|are allowed)`, { unit: 'media' }), // vLLM
  overflow(`image(?:s| count)[^a-z.]{0,9} exceed\\w* (?:the )?(?:limit|maximum)(?: of)? ${media}`, { unit: 'media' }), // gateways
  overflow('size for many-image requests', { unit: 'media' }), // Anthropic: fewer of them may be large
  overflow('^4(?:00|13) ?(?:status code)? ?\\(no body\\)$'), // Cerebras
  overflow('(?:context.?(?:length|window|size|limit)|max_prompt_tokens).?exceeded'), // codes, class names and words of Anthropic, OpenAI, GitHub Copilot, LiteLLM and many others
  overflow('too many (?:input )?tokens|token limit exceeded', { needsStatus: true }),

  malformed('tool_use.? ids were found without .?tool_result'), // Anthropic
  malformed('unexpected .?tool_use_id.? found in .?tool_result'), // Anthropic
  malformed('must have a corresponding .?tool_(?:use|result).? block'),
  malformed('each tool_use must have a single result|multiple .?tool_result.? blocks with id'), // Anthropic
  malformed('thinking.? or .?redacted_thinking.? blocks in the latest assistant message cannot be modified'), // Anthropic
  malformed('no tool (?:call|output) found for function call'), // OpenAI Responses
  malformed('must be followed by tool messages responding to each .?tool_call_id'), // OpenAI Chat
  malformed('messages with role .?tool.? must be a response to a preceding message with .?tool_calls'), // OpenAI Chat
  malformed('was provided without its required (?:following item|.?reasoning.? item)'), // OpenAI Responses
  malformed('missing field .?tool_call_id|missing .?reasoning_content'), // DeepSeek
  malformed('number of function response parts is equal to the number of function call parts'), // Google
  malformed('text content blocks must be non-empty|all messages must have non-empty content'), // Anthropic
]

/** Rate limits and quotas speak of tokens too, ids and descriptions of lengths; none of them must be answered with a compaction. */
export const vetoes: RegExp =
  /rate[ _-]?limit|per[ _-]?(?:minute|hour|day)|daily|too many requests|quota|throttl|overloaded|max_?(?:output_?)?tokens must be|max_?output_?tokens value|max_tokens exceeds|temperature|schema is too long|metadata length|LengthFinishReason|string too long\. Expected [\w ]+ maximum length \d{1,5}\b/i
