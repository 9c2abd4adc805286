import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type HeadConfig } from 'vitepress'
import core from '../../packages/core/package.json' with { type: 'json' }
import { addressOf } from '../../scripts/address.mjs'

/** Core and adapters first, the others by name. */
const first = ['core', 'ai-sdk', 'langchain', 'openai-agents']
const others = readdirSync(join(import.meta.dirname, '../packages')).map((file) => file.replace('.md', ''))
const packages = [...new Set([...first, ...others.sort()])]

const { repository, docs = '' } = addressOf()
const base = docs === '' ? '/' : `${new URL(docs).pathname.replace(/\/$/, '')}/`
/** What stands beside a link to this site, where people share one. */
const shared = { 'og:type': 'website', 'og:site_name': 'Précis', 'og:image': `${docs}/social.png`, 'og:image:width': '1200', 'og:image:height': '630' }

export default defineConfig({
  title: 'Précis',
  description: 'Keeps long-running LLM agents inside the context window.',
  base,
  cleanUrls: true,
  ...(docs !== '' && { sitemap: { hostname: `${docs}/` } }),
  // The playground runs the packages' sources: the site needs no build of them. Its worker is one file: nothing is asked for once the page stands.
  vite: { resolve: { conditions: ['@precis/source'] }, worker: { format: 'es', rollupOptions: { output: { inlineDynamicImports: true } } } },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
    ...Object.entries(shared).map(([property, content]): HeadConfig => ['meta', { property, content }]),
  ],
  transformHead: ({ title, description }) => [
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
  ],
  srcExclude: ['node_modules/**'],
  // Headings have the addresses that GitHub gives them, so that a link holds in both places.
  markdown: {
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
  },
  // These are made of the packages' READMEs and sources.
  transformPageData: ({ relativePath, frontmatter }) =>
    /^(?:api|packages)\//.test(relativePath) ? { frontmatter: { ...frontmatter, editLink: false } } : undefined,
  themeConfig: {
    logo: '/logo.svg',
    search: { provider: 'local' },
    ...(repository !== undefined && {
      editLink: { pattern: `${repository}/edit/main/docs/:path`, text: 'Edit this page' },
      socialLinks: [{ icon: 'github', link: repository }],
    }),
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Playground', link: '/playground' },
      { text: 'Evidence', link: '/evidence' },
      { text: 'API', link: '/api/' },
      { text: core.version, link: '/versioning' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Quick start', link: '/start' },
          { text: 'Concepts on one page', link: '/concepts' },
          { text: 'Recipes', link: '/recipes' },
          { text: 'How it decides', link: '/how-it-decides' },
          { text: 'Migrate from another library', link: '/migration' },
          { text: 'When your provider compacts too', link: '/provider-compaction' },
        ],
      },
      {
        text: 'Concepts, in depth',
        items: [
          { text: 'All, one page each', link: '/ideas' },
          ...[
            'budget',
            'groups',
            'plan',
            'checkpoint',
            'pruning',
            'summary',
            'record',
            'recall',
            'faults',
            'lifecycle',
            'archive',
            'deletion',
            'tool-outputs',
            'systems',
          ].map((name) => ({ text: name.replace('-', ' '), link: `/${name}` })),
        ],
      },
      {
        text: 'Guides',
        items: [
          { text: 'Next.js with useChat', link: '/guides/nextjs' },
          { text: 'Hono, Express, Bun, Deno, Workers', link: '/guides/servers' },
          { text: 'LangGraph, deepagents', link: '/guides/langgraph' },
          { text: 'OpenAI Agents: sessions, approvals', link: '/guides/openai-agents' },
          { text: 'Mastra', link: '/guides/mastra' },
          { text: 'Tools over MCP', link: '/guides/mcp' },
          { text: 'Bedrock, Vertex, Azure, Ollama', link: '/guides/clouds' },
          { text: 'After a restart, many processes', link: '/guides/restart' },
          { text: 'A budget in money', link: '/guides/money' },
          { text: 'See what was removed', link: '/guides/removed' },
          { text: 'Your own summary prompt', link: '/guides/own-prompt' },
        ],
      },
      {
        text: 'Use',
        items: [
          { text: 'Known models', link: '/models' },
          { text: 'Configuration', link: '/configuration' },
          { text: 'compactctl', link: '/cli' },
          { text: 'Your own storage, exporter or rule', link: '/custom-storage' },
          { text: 'Scale', link: '/scale' },
          { text: 'Troubleshooting', link: '/troubleshooting' },
          { text: 'Every error', link: '/errors' },
          { text: 'Versions', link: '/versioning' },
          { text: 'Evidence', link: '/evidence' },
        ],
      },
      { text: 'Packages', collapsed: true, items: packages.map((name) => ({ text: `@precis/${name}`, link: `/packages/${name}` })) },
      { text: 'API', collapsed: true, items: packages.map((name) => ({ text: `@precis/${name}`, link: `/api/@precis/${name}` })) },
    ],
  },
})
