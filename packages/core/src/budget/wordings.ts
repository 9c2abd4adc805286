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

const overflow = (pattern: RegExp, unit: OverflowUnit = 'tokens', needsStatus = false): ErrorPattern => ({ kind: 'overflow', pattern, unit, needsStatus })
const malformed = (pattern: RegExp): ErrorPattern => ({ kind: 'malformed', pattern })

/** Provider wordings, most specific first. Source of each: the overflow table of shipping agents, November 2026 (docs/faults.md). */
export const errorPatterns: readonly ErrorPattern[] = [
  overflow(/prompt is too long(?:: (?<input>[\d,]+)(?: tokens? >|,[\s\S]{0,40}? length:) (?<limit>[\d,]+))?/i), // Anthropic, Fireworks
  overflow(/input length and .?max_tokens.? exceed context limit(?:: (?<input>[\d,]+) \+ (?<reply>[\d,]+) > (?<limit>[\d,]+))?/i), // Anthropic
  overflow(/request_too_large|exceeds the maximum (?:size|allowed number of bytes)|payload size exceeds/i, 'bytes'), // Anthropic (HTTP 413), Google (HTTP 400)
  overflow(
    /maximum context length is (?<limit>[\d,]+)(?: tokens)?(?:[\s\S]{0,80}?(?:requested (?:about )?(?<requested>[\d,]+)(?![\d,]| output)|resulted in (?<input>[\d,]+)))?/i,
  ), // OpenAI, DeepSeek, vLLM, OpenRouter
  overflow(/input token count(?: \((?<input>[\d,]+)\))? exceeds the maximum number of tokens allowed(?: \((?<limit>[\d,]+)\))?/i), // Google
  overflow(/input token count is (?<input>[\d,]+) but (?:the )?model (?:only )?supports up to (?<limit>[\d,]+)/i), // Vertex AI
  overflow(/input tokens exceed the configured limit of (?<limit>[\d,]+)(?:[\s\S]{0,40}?resulted in (?<input>[\d,]+))?/i), // OpenAI, Azure
  overflow(/maximum prompt length is (?<limit>[\d,]+)(?:[\s\S]{0,60}?contains (?<input>[\d,]+))?/i), // xAI
  overflow(/too large for model with (?<limit>[\d,]+) maximum context length/i), // Mistral
  overflow(/maximum allowed input length of (?<limit>[\d,]+)/i), // OpenRouter
  overflow(/(?:\(length (?<input>[\d,]+)\) )?is longer than the maximum model length of (?<limit>[\d,]+)/i), // vLLM
  overflow(/current length is (?<input>[\d,]+) while limit is (?<limit>[\d,]+)/i), // Cerebras
  overflow(/tokens \((?<requested>[\d,]+)\) exceeded this model context window limit \((?<limit>[\d,]+)/i), // Cloudflare Workers AI
  overflow(/input \((?<input>[\d,]+) tokens\) is longer than[\s\S]{0,40}?context length \((?<limit>[\d,]+)/i), // Together
  overflow(/tokens \+ .?max_new_tokens.? must be <= (?<limit>[\d,]+)(?:[\s\S]{0,20}?given: (?<input>[\d,]+) .?inputs.? tokens and (?<reply>[\d,]+))?/i), // Text Generation Inference, Together (HTTP 422)
  overflow(/inputs.? must have less than (?<limit>[\d,]+) tokens\.(?: given: (?<input>[\d,]+))?/i), // Text Generation Inference
  overflow(/number of input tokens (?<input>[\d,]+) cannot exceed the total tokens limit (?<limit>[\d,]+)/i), // watsonx
  overflow(
    /(?:input length|input tokens|prompt_tokens)(?: \(?(?<input>[\d,]+)(?: tokens)?\)?)? (?:exceeds|has exceeded|must be less than) (?:(?:the )?maximum (?:allowed )?length|max_\w+)(?: \(?(?<limit>[\d,]+))?/i,
  ), // Ark, Nova, SiliconFlow, SGLang
  overflow(/range of input length should be \[\d+, (?<limit>[\d,]+)/i), // DashScope
  overflow(/prompt exceeds max length|prompt 超长|tokens in request more than max tokens allowed/i), // Z.AI
  overflow(/token count of (?<input>[\d,]+) exceeds the limit of (?<limit>[\d,]+)/i), // GitHub Copilot
  overflow(/(?:request|prompt).{0,10}\((?<input>[\d,]+).{0,7}\) exceeds? .{0,15}(?:context|input) (?:size|window|length).{1,4}?(?<limit>[\d,]+)/i), // llama.cpp, llama-cpp-python, TensorRT-LLM
  overflow(/prompt is (?<input>[\d,]+) tokens long[\s\S]{0,200}? just (?<limit>[\d,]+)/i), // SambaNova
  overflow(/exceeds (?:the )?(?:model'?s )?maximum context length(?:\D{0,10}(?<limit>[\d,]+))?/i), // LiteLLM and proxies
  overflow(/context length (?:is|of) only (?<limit>[\d,]+)/i), // vLLM, LM Studio
  overflow(
    /exceeds the context window|prompt contains[\s\S]{0,40}?\d+ input tokens|input length[\s\S]{0,60}?exceeds[\s\S]{0,40}?context length|requested input length[\s\S]{0,40}?exceeds[\s\S]{0,40}?maximum/i,
  ), // OpenAI Responses, vLLM, Alibaba
  // Bedrock, Groq, Ollama, MiniMax, llama.cpp, LM Studio
  overflow(
    /input is too long|reduce the length of (?:the |either )|prompt too long; exceeded (?:max )?context length|context window exceeds limit|exceeds the available context size|context size has been exceeded|context shift is disabled|greater than the context length/i,
  ),
  overflow(/exceeded model token limit:? ?(?<limit>[\d,]+)?(?:[\s\S]{0,20}?requested:? ?(?<requested>[\d,]+))?/i), // Moonshot
  overflow(/ContextOverflowError|^CONTEXT_OVERFLOW$/i), // class names: LangChain
  overflow(/(?:request entity|payload|content) too large|string too long\. Expected [\w ]+ maximum length \d{6}/i, 'bytes'), // HTTP 413, OpenAI
  overflow(
    /too (?:many images|much media:)(?:[\s\S]{0,60}?(?: > |up to |max(?:imum)? (?:allowed )?(?:is|of) )(?<limit>[\d,]+)(?![\d,]|\.\d| ?(?:[KMG]i?B|\w*(?:bytes|pixels)|px|tokens|[x×])))?/i,
    'media',
  ), // Anthropic, Azure, GitHub Copilot, Groq
  overflow(/at most (?<limit>[\d,]+) (?:image|video|audio)\S* (?:may be provided|are allowed)/i, 'media'), // vLLM
  overflow(
    /image(?:s| count)[^a-z.]{0,9} exceed\w* (?:the )?(?:limit|maximum)(?: of)? (?<limit>[\d,]+)(?![\d,]|\.\d| ?(?:[KMG]i?B|\w*(?:bytes|pixels)|px|tokens|[x×]))/i,
    'media',
  ), // gateways
  overflow(/size for many-image requests/i, 'media'), // Anthropic: fewer of them may be large
  overflow(/^4(?:00|13) ?(?:status code)? ?\(no body\)$/i), // Cerebras
  overflow(/(?:context.?(?:length|window|size|limit)|max_prompt_tokens).?exceeded/i), // codes, class names and words of Anthropic, OpenAI, GitHub Copilot, LiteLLM and many others
  overflow(/too many (?:input )?tokens|token limit exceeded/i, 'tokens', true),

  malformed(/tool_use.? ids were found without .?tool_result/i), // Anthropic
  malformed(/unexpected .?tool_use_id.? found in .?tool_result/i), // Anthropic
  malformed(/must have a corresponding .?tool_(?:use|result).? block/i),
  malformed(/each tool_use must have a single result|multiple .?tool_result.? blocks with id/i), // Anthropic
  malformed(/thinking.? or .?redacted_thinking.? blocks in the latest assistant message cannot be modified/i), // Anthropic
  malformed(/no tool (?:call|output) found for function call/i), // OpenAI Responses
  malformed(/must be followed by tool messages responding to each .?tool_call_id/i), // OpenAI Chat
  malformed(/messages with role .?tool.? must be a response to a preceding message with .?tool_calls/i), // OpenAI Chat
  malformed(/was provided without its required (?:following item|.?reasoning.? item)/i), // OpenAI Responses
  malformed(/missing field .?tool_call_id|missing .?reasoning_content/i), // DeepSeek
  malformed(/number of function response parts is equal to the number of function call parts/i), // Google
  malformed(/text content blocks must be non-empty|all messages must have non-empty content/i), // Anthropic
]

/** Rate limits and quotas speak of tokens too, ids and descriptions of lengths; none of them must be answered with a compaction. */
export const vetoes: RegExp =
  /rate[ _-]?limit|per[ _-]?(?:minute|hour|day)|daily|too many requests|quota|throttl|overloaded|max_?(?:output_?)?tokens must be|max_?output_?tokens value|max_tokens exceeds|temperature|schema is too long|metadata length|LengthFinishReason|string too long\. Expected [\w ]+ maximum length \d{1,5}\b/i
