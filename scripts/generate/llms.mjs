// docs/public/llms.txt from the table of docs/ideas.md: what a model reads to find its way.
import { readFileSync } from 'node:fs'

export function llms() {
  const rows = readFileSync('docs/ideas.md', 'utf8').matchAll(/^\| \[(.+?)\]\((.+?)\.md\) +\| (.+?) +\|$/gm)
  const lines = [...rows].map(([, title, page, idea]) => `- [${title}](/${page}): ${idea}`)
  const text = `# Précis

> Keeps long-running LLM agents inside the model's context window: measures the budget, shortens old tool outputs, summarizes what must go, keeps a record of it made by code, never breaks a request. Adapters for the Vercel AI SDK, LangChain.js and the OpenAI Agents SDK.

${lines.join('\n')}
- [API](/api/): every export of every package
`
  return [{ path: 'docs/public/llms.txt', text }]
}
