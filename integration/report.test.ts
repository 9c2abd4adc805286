import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseTranscripts, renderPage, reportData } from '@precis/cli'
import { generateHistory, history, step, user } from '@precis/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installChromium } from './install.ts'

const folder = join(import.meta.dirname, 'results')
const hostile = '</script><script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'"><b>bold</b>'
let browser: Browser

beforeAll(async () => {
  const { path, version } = installChromium()
  console.log(version)
  mkdirSync(folder, { recursive: true })
  const text = (messages: readonly unknown[]): string => messages.map((message) => JSON.stringify(message)).join('\n')
  const sessions = [
    ...parseTranscripts(text(generateHistory(7, { turns: 40, steps: 3, output: 2_000 })), 'A long session'),
    ...parseTranscripts(
      text(history(user(hostile), ...Array.from({ length: 30 }, (_, at) => step(hostile, `c${at}`, {}, `${hostile}\n`.repeat(80))))),
      hostile,
    ),
  ]
  const data = []
  for (const session of sessions) data.push(await reportData(session, { window: 8_000 }))
  writeFileSync(join(folder, 'report.html'), renderPage(data))
  browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] })
}, 600_000)
afterAll(() => browser?.close())

/** The page, everything that its console said, and every address that it asked for. */
async function open(options: Parameters<Browser['newContext']>[0]): Promise<{ page: Page; said: string[]; asked: string[] }> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const said: string[] = []
  const asked: string[] = []
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.message))
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(pathToFileURL(join(folder, 'report.html')).href)
  return { page, said, asked }
}

describe('the report in a browser', () => {
  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
    ['phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ] as const)('%s: draws, says nothing to the console, asks nobody, is not wider than the screen', async (name, options) => {
    const { page, said, asked } = await open(options)
    expect(await page.locator('svg.ct-chart-line').count()).toBe(2)
    expect(await page.locator('svg .ct-area').count()).toBeGreaterThan(4)
    expect(said).toEqual([])
    expect(asked.filter((address) => !address.startsWith('file:') && !address.startsWith('data:'))).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const [ink, paper] = (await page.evaluate('[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]')) as [string, string]
    expect(contrast(ink, paper)).toBeGreaterThan(7)
    await page.screenshot({ path: join(folder, `report-${name}.png`), fullPage: true })
  })

  it('a marker opens its receipt, by mouse and by keyboard', async () => {
    const { page, said } = await open({ viewport: { width: 1280, height: 900 } })
    const [first, second] = [page.locator('#report-0-0'), page.locator('#report-0-1')]
    expect(await first.getAttribute('open')).toBeNull()
    await page.locator('nav.markers').first().locator('a').first().click()
    expect(await first.getAttribute('open')).not.toBeNull()
    expect(await first.locator('pre').first().textContent()).toMatch(/[\d,]+ → [\d,]+ tokens/)
    await page.locator('nav.markers').first().locator('a').nth(1).focus()
    await page.keyboard.press('Enter')
    expect(await second.getAttribute('open')).not.toBeNull()
    expect(await page.evaluate("document.activeElement.closest('details').id")).toBe('report-0-1')
    // Before and after of a shortened message, and the table behind the chart.
    await page.getByText('The numbers behind the chart').first().click()
    expect(await page.locator('table').first().locator('tbody tr').count()).toBeGreaterThan(20)
    expect(said).toEqual([])
  })

  it('a hostile transcript is shown as it is written', async () => {
    const { page, said } = await open({})
    expect(await page.title()).toBe('Context over time')
    expect(await page.locator('h1').nth(1).textContent()).toBe(hostile)
    expect(await page.locator('main img, main b, main script').count()).toBe(0)
    expect(said).toEqual([])
  })

  it('prints in ink on paper', async () => {
    const { page } = await open({ colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    const pdf = await page.pdf({ path: join(folder, 'report.pdf') })
    expect(pdf.length).toBeGreaterThan(20_000)
  })
})

/** Contrast ratio of two CSS colors, as WCAG 2 defines it. */
function contrast(a: string, b: string): number {
  const luminance = (color: string): number => {
    const [red, green, blue] = (color.match(/[\d.]+/g) ?? []).map((part) => {
      const value = Number(part) / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
  }
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05)
}
