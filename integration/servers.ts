import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Installed, installCollector, installPostgres, installRedis, installVersitygw } from './install.ts'

declare module 'vitest' {
  interface ProvidedContext {
    s3: { endpoint: string; access: string; secret: string }
    collector: { endpoint: string; file: string; metrics: string }
    redis: { url: string }
    postgres: { url: string }
  }
}

/** Seconds that a server lives at most, whatever becomes of the run. */
const longestLife = 1_500
const running: ChildProcess[] = []
const folders: string[] = []

/** Installs, starts and ends the servers of one run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [s3, collector, redis, postgres] = [installVersitygw(), installCollector(), installRedis(), installPostgres()]
  console.log(`Real servers: ${[s3, collector, redis, postgres].map((server) => server.version).join(', ')}`)
  try {
    project.provide('s3', await startS3(s3))
    project.provide('collector', await startCollector(collector))
    project.provide('redis', await startRedis(redis))
    project.provide('postgres', await startPostgres(postgres))
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

async function startS3({ path }: Installed): Promise<{ endpoint: string; access: string; secret: string }> {
  const [root, port] = [folder('s3'), await freePort()]
  mkdirSync(join(root, 'precis'))
  start(path, ['--access', 'precis', '--secret', 'not-a-secret', '--port', `127.0.0.1:${port}`, '--quiet', 'posix', root])
  await answers(port)
  return { endpoint: `http://127.0.0.1:${port}`, access: 'precis', secret: 'not-a-secret' }
}

async function startCollector({ path }: Installed): Promise<{ endpoint: string; file: string; metrics: string }> {
  const [root, port] = [folder('otel'), await freePort()]
  const [file, metrics] = [join(root, 'traces.jsonl'), join(root, 'metrics.jsonl')]
  writeFileSync(
    join(root, 'config.yaml'),
    `receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { file: { path: "${file}", flush_interval: 10ms }, file/metrics: { path: "${metrics}", flush_interval: 10ms } }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { traces: { receivers: [otlp], exporters: [file] }, metrics: { receivers: [otlp], exporters: [file/metrics] } }
`,
  )
  start(path, ['--config', join(root, 'config.yaml')])
  await answers(port)
  return { endpoint: `http://127.0.0.1:${port}/v1/traces`, file, metrics }
}

async function startRedis({ path }: Installed): Promise<{ url: string }> {
  const port = await freePort()
  start(path, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder('redis'), '--maxmemory-policy', 'noeviction'])
  await answers(port)
  return { url: `redis://127.0.0.1:${port}` }
}

async function startPostgres({ path }: Installed): Promise<{ url: string }> {
  const [root, port] = [folder('postgres'), await freePort()]
  // PostgreSQL refuses to run as root: it gets a user of its own there.
  const asRoot = userInfo().uid === 0
  const as = (file: string, args: readonly string[]): readonly [string, readonly string[]] =>
    asRoot ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', file, ...args]] : [file, args]
  if (asRoot) execFileSync('chown', ['-R', 'postgres:postgres', root])
  chmodSync(root, 0o700)
  const [init, initArgs] = as(join(path, 'initdb'), ['-D', join(root, 'data'), '-U', 'precis', '--auth=trust', '--no-sync'])
  execFileSync(init, initArgs, { stdio: 'ignore', cwd: '/' })
  const [file, args] = as(join(path, 'postgres'), [
    '-D',
    join(root, 'data'),
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-k',
    root,
    '-c',
    'fsync=off',
  ])
  start(file, args)
  await answers(port)
  return { url: `postgres://precis@127.0.0.1:${port}/postgres` }
}

function folder(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `precis-${name}-`))
  folders.push(path)
  return path
}

function start(file: string, args: readonly string[]): void {
  running.push(spawn('timeout', ['--kill-after=5', String(longestLife), file, ...args], { stdio: ['ignore', 'ignore', 'ignore'], cwd: '/' }))
}

async function stop(): Promise<void> {
  const ended = running
    .splice(0)
    .map((child) => new Promise<void>((resolve) => (child.exitCode === null ? child.once('exit', () => resolve()) && child.kill('SIGTERM') : resolve())))
  await Promise.race([Promise.all(ended), new Promise((resolve) => setTimeout(resolve, 5_000))])
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true })
}

/** A port that nobody uses now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Waits until somebody listens. */
async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('connect', () => socket.end())
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`Nothing listens on port ${port} after 20 s.`)
}
