import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { generateHistory } from '@precis/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installChromium } from './install.ts'

const root = join(import.meta.dirname, '..')
const site = join(root, 'docs/.vitepress/dist')
const folder = join(import.meta.dirname, 'results')
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
let browser: Browser
let server: Server

beforeAll(async () => {
  if (!existsSync(join(site, 'sample.jsonl'))) spawnSync('node', ['scripts/run.mjs', 'docs'], { cwd: root, stdio: 'inherit' })
  mkdirSync(folder, { recursive: true })
  server = createServer((request, response) => {
    const path = join(site, new URL(request.url ?? '/', 'http://site').pathname)
    const file = [path, `${path}.html`].find((one) => existsSync(one) && statSync(one).isFile())
    response.statusCode = file === undefined ? 404 : 200
    response.setHeader('content-type', types[extname(file ?? '')] ?? 'application/octet-stream')
    response.end(file === undefined ? undefined : readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch({ executablePath: installChromium().path, args: ['--no-sandbox'] })
}, 600_000)
afterAll(async () => {
  await browser?.close()
  server?.close()
})

/** The page with its sample drawn, what its console said, and every address that it asked for. */
async function open(options: Parameters<Browser['newContext']>[0]): Promise<{ page: Page; said: string[]; asked: string[] }> {
  const page = await (await browser.newContext(options)).newPage()
  const said: string[] = []
  const asked: string[] = []
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.message))
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/playground`)
  await page.getByText('The agent of the demo').waitFor()
  return { page, said, asked }
}

const headline = (page: Page): Promise<string | null> => page.locator('.headline').textContent()
/** A log as a file that somebody drops. */
const given = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('the playground', () => {
  it.each([
    ['desktop', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
    ['phone', { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true }],
  ] as const)('%s: the sample is drawn, nothing is wider than the screen, the console is quiet', async (name, options) => {
    const { page, said } = await open(options)
    expect(await headline(page)).toMatch(/^\d+ compactions, never above [\d,]+ tokens/)
    expect(await page.locator('svg .ct-area').count()).toBeGreaterThan(3)
    expect(await page.locator('dl').textContent()).toContain('at $3 a million')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(said).toEqual([])
    await page.screenshot({ path: join(folder, `playground-${name}.png`), fullPage: true })
  })

  it('another window and another preset are replayed', async () => {
    const { page, said } = await open({})
    const before = await headline(page)
    await page.getByLabel('Window').selectOption('200000')
    await page.getByText('Fits the window').waitFor()
    await page.getByLabel('Window').selectOption('12000')
    await page.getByLabel('Preset').selectOption('pivot')
    await page.getByText(/^\d+ compactions?, never above/).waitFor()
    expect(await headline(page)).not.toBe(before)
    expect(said).toEqual([])
  })

  it('a log is replayed on this machine: nothing is asked for once the page stands', async () => {
    const { page, said, asked } = await open({})
    const line = (messages: readonly unknown[], id: string): string => JSON.stringify({ id, messages })
    const log = [
      line(generateHistory(3, { turns: 12, steps: 3, output: 900 }), 'first'),
      line(generateHistory(4, { turns: 30, steps: 3, output: 900 }), 'second'),
    ]
    asked.splice(0)
    await page.locator('input[type=file]').setInputFiles(given('dropped.jsonl', log.join('\n')))
    await page.getByRole('heading', { name: 'first' }).waitFor()
    await page.getByLabel('Conversation').selectOption({ index: 1 })
    await page.getByRole('heading', { name: 'second' }).waitFor()
    // Its worker is a script of this site.
    expect(asked.filter((address) => !/^http:\/\/127\.0\.0\.1:\d+\/assets\/replay\.worker-[\w-]+\.js$/.test(address))).toEqual([])
    await page.getByText('What the model reads at the last call').click()
    expect(await page.locator('details[open] pre').first().textContent()).toContain('## Summary of earlier messages')
    expect(said).toEqual([])
  })

  it('a file that is no log is refused in words', async () => {
    const { page, said } = await open({})
    await page.locator('input[type=file]').setInputFiles(given('notes.jsonl', 'milk, bread\n'))
    expect(await page.getByRole('alert').textContent()).toMatch(/notes\.jsonl, line 1: expected a JSON object/)
    expect(said).toEqual([])
  })

  it('the slider reads a call, by keyboard', async () => {
    const { page } = await open({})
    const last = await page.locator('output').textContent()
    await page.getByLabel('Call to read').focus()
    await page.keyboard.press('ArrowLeft')
    expect(await page.locator('output').textContent()).not.toBe(last)
    expect(await page.locator('output').textContent()).toMatch(/^Before message \d+: [\d,]+ tokens, [\d,]+ without\./)
  })
})
