/**
 * Names that frameworks, gateways and LiteLLM-style prefixes use for a provider, written without `_`, `-` and blanks, in lower case.
 * AI SDK appends the kind of API (`openai.responses`, `google.vertex.chat`): a name is looked up whole first, then without its last part.
 */
const names: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  googlegenai: 'google',
  googlegenerativeai: 'google',
  gemini: 'google',
  xai: 'xai',
  spacexai: 'xai',
  mistral: 'mistral',
  mistralai: 'mistral',
  deepseek: 'deepseek',
  moonshot: 'moonshotai',
  moonshotai: 'moonshotai',
  minimax: 'minimax',
  zai: 'zai',
  meta: 'meta',
  xiaomi: 'xiaomi',
  azure: 'azure',
  azureai: 'azure',
  azureopenai: 'azure',
  'google.vertex': 'google-vertex',
  googlevertex: 'google-vertex',
  googlevertexai: 'google-vertex',
  vertex: 'google-vertex',
  vertexai: 'google-vertex',
  amazonbedrock: 'amazon-bedrock',
  bedrock: 'amazon-bedrock',
  bedrockconverse: 'amazon-bedrock',
  bedrockmantle: 'amazon-bedrock',
  aws: 'amazon-bedrock',
  gateway: 'vercel-ai-gateway',
  vercel: 'vercel-ai-gateway',
  vercelaigateway: 'vercel-ai-gateway',
  openrouter: 'openrouter',
  groq: 'groq',
  cerebras: 'cerebras',
  together: 'together',
  togetherai: 'together',
  fireworks: 'fireworks',
  fireworksai: 'fireworks',
  huggingface: 'huggingface',
  nvidia: 'nvidia',
  nvidianim: 'nvidia',
  baseten: 'baseten',
  workersai: 'cloudflare-workers-ai',
  cloudflareworkersai: 'cloudflare-workers-ai',
}

/** Servers that a person starts, whose window is what they were started with, and services that give less than the window of the models they serve. */
const ownWindows: readonly string[] = [
  'codex',
  'copilot',
  'github',
  'githubcopilot',
  'githubmodels',
  'opencode',
  'opencodezen',
  'docker',
  'hostedvllm',
  'llamacpp',
  'llama.cpp',
  'llamafile',
  'llamaserver',
  'lmstudio',
  'local',
  'localai',
  'mlx',
  'ollama',
  'ollamachat',
  'openllm',
  'sglang',
  'tgi',
  'vllm',
  'xinference',
]

/** Companies whose own models are served by nobody else than themselves and the clouds they name. */
export const labs: readonly string[] = ['openai', 'anthropic', 'google', 'xai']

/** Providers that serve models of their own under ids of their own, in the order in which an id without a provider is looked for. */
export const homes: readonly string[] = [...labs, 'mistral', 'deepseek', 'moonshotai', 'minimax', 'zai', 'meta', 'xiaomi']

/** Clouds that serve a laboratory's models as they are: where they have no row of their own, the laboratory's limits hold. */
export const hosts: Readonly<Record<string, readonly string[]>> = { azure: ['openai', 'anthropic'], 'google-vertex': ['google', 'anthropic'] }

/** The catalog's name for a provider; `own` where windows are not those of the models; undefined where nobody knows. */
export function providerNamed(name: string): string | undefined {
  if (name.length > longestName) return undefined
  const whole = name.toLowerCase().replaceAll(/[-_ ]/g, '')
  if (ownWindows.includes(whole)) return 'own'
  return Object.hasOwn(names, whole) ? names[whole] : undefined
}

/** Likewise for a model's `provider` of the AI SDK, which ends in the kind of API. */
export function providerOf(name: string): string | undefined {
  for (let rest = name.slice(0, longestName); rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('.')))) {
    const found = providerNamed(rest)
    if (found !== undefined) return found
  }
  return undefined
}

/** Characters. */
const longestName = 100
