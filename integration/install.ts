// Real servers, installed once into a folder of their own and started for one run: nothing of them is committed, nothing outlives the run.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

const versions = { versitygw: '1.8.0', collector: '0.145.0', miniflare: '4.20260730.0' } as const
const folder = process.env['PRECIS_SERVERS'] ?? join(homedir(), '.cache/precis-servers')
const bin = join(folder, 'bin')

const run = (file: string, args: readonly string[], options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}): string =>
  execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 20 * 60_000, ...options, env: { ...process.env, ...options.env } })

function has(command: string): boolean {
  try {
    run('sh', ['-c', `command -v ${command}`])
    return true
  } catch {
    return false
  }
}

/** Both Go programs come from the module proxy, as source. */
function needGo(what: string): void {
  if (!has('go'))
    throw new Error(`${what} is built with Go, which is not installed. Install Go 1.25 or newer (https://go.dev/dl), or put the program into ${bin}.`)
}

export interface Installed {
  readonly path: string
  readonly version: string
}

/** S3, from Go's module proxy: honors `If-None-Match` and `If-Match`, which several fakes ignore. */
export function installVersitygw(): Installed {
  const path = join(bin, `versitygw-${versions.versitygw}`)
  if (!existsSync(path)) {
    needGo('versitygw')
    const own = mkdtempSync(join(tmpdir(), 'versitygw-'))
    run('go', ['install', `github.com/versity/versitygw/cmd/versitygw@v${versions.versitygw}`], { env: { GOBIN: own, GOFLAGS: '-mod=mod' } })
    mkdirSync(bin, { recursive: true })
    renameSync(join(own, 'versitygw'), path)
  }
  return { path, version: `versitygw ${versions.versitygw}` }
}

/** An OpenTelemetry Collector with an OTLP receiver and a file exporter, made by the collector's own builder. */
export function installCollector(): Installed {
  const path = join(bin, `precis-otelcol-${versions.collector}`)
  if (!existsSync(path)) {
    needGo('The OpenTelemetry Collector')
    const own = mkdtempSync(join(tmpdir(), 'otelcol-'))
    writeFileSync(
      join(own, 'builder.yaml'),
      [
        'dist:',
        '  name: precis-otelcol',
        '  output_path: ./dist',
        `  version: ${versions.collector}`,
        'exporters:',
        `  - gomod: github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter v${versions.collector}`,
        'receivers:',
        `  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver v${versions.collector}`,
      ].join('\n'),
    )
    run('go', ['install', `go.opentelemetry.io/collector/cmd/builder@v${versions.collector}`], { env: { GOBIN: own } })
    run(join(own, 'builder'), ['--config', 'builder.yaml'], { cwd: own })
    mkdirSync(bin, { recursive: true })
    renameSync(join(own, 'dist/precis-otelcol'), path)
  }
  return { path, version: `OpenTelemetry Collector ${versions.collector}` }
}

export function installRedis(): Installed {
  if (!has('redis-server')) apt('redis-server')
  return { path: 'redis-server', version: /v=[\d.]+/.exec(run('redis-server', ['--version']))?.[0].replace('v=', 'Redis ') ?? 'Redis' }
}

/** @returns The folder of PostgreSQL's programs. */
export function installPostgres(): Installed {
  const places = (): string => run('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1']).trim()
  if (places() === '') apt('postgresql')
  const path = places()
  return { path, version: run(join(path, 'postgres'), ['--version']).trim() }
}

/** Cloudflare's own runtime, with a program around it that plays its data center. @returns The module to import. */
export function installMiniflare(): Installed {
  const own = join(folder, `miniflare-${versions.miniflare}`)
  const path = join(own, 'node_modules/miniflare/dist/src/index.js')
  if (!existsSync(path)) run('npm', ['install', '--no-audit', '--no-fund', '--prefix', own, `miniflare@${versions.miniflare}`])
  return { path, version: `miniflare ${versions.miniflare}` }
}

/** Debian's package; its own service is not wanted. */
function apt(name: string): void {
  if (!has('apt-get')) throw new Error(`${name} is not installed, and there is no apt-get to install it with. Install it by hand.`)
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  try {
    run('apt-get', ['install', '-y', '--no-install-recommends', name], { env })
  } catch {
    run('apt-get', ['update'], { env })
    run('apt-get', ['install', '-y', '--no-install-recommends', name], { env })
  }
}

/** Debian's Chromium, driven headless. */
export function installChromium(): Installed {
  const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
  if (path === undefined) apt('chromium')
  const found = path ?? '/usr/bin/chromium'
  return { path: found, version: run(found, ['--version']).trim() }
}
