import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ReportData } from './data.ts'

const assets = join(import.meta.dirname, '../../assets')
const chartist = dirname(createRequire(import.meta.url).resolve('chartist'))

/**
 * One HTML file with everything in it. Texts of the transcript are data in it: the page builds itself from them with text nodes alone,
 * and its content security policy runs these two scripts and nothing else.
 */
export function renderPage(data: readonly ReportData[]): string {
  const charts = readFileSync(join(chartist, 'index.umd.js'), 'utf8').replace(/\/\/# sourceMappingURL.*/, '')
  const script = `${['elements', 'chart', 'report'].map(partOf).join('\n')}\n${start}`
  const styles = `${readFileSync(join(chartist, 'index.css'), 'utf8').replace(/\/\*# sourceMappingURL.*/, '')}\n${readFileSync(join(assets, 'report.css'), 'utf8')}`
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ${[charts, script].map(hashOf).join(' ')}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Context over time</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<main id="content"><noscript>This page draws its charts with JavaScript, all of which is in this file.</noscript></main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script>${charts}</script>
<script type="module">${script}</script>
</body>
</html>
`
}

/** What the page does with its modules. */
const start = `const content = document.getElementById('content')
drawReports(content, JSON.parse(document.getElementById('data').textContent), Chartist)
openForPrint(content)
`

/** A module as a part of one script. */
function partOf(name: string): string {
  return readFileSync(join(assets, `${name}.js`), 'utf8').replaceAll(/^import .*\n|^export /gm, '')
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}
