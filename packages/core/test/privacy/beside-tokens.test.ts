import { createRedactor } from '@precis/core'
import { describe, expect, it } from 'vitest'

const redact = createRedactor()
const letters = 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'
const tokens = [
  `ghp_${letters}`,
  `github_pat_11ABCDEFG0${letters}${letters.slice(0, 23)}`,
  'AKIAZ7QWERTYUIOPASDF',
  'ASIAZ7QWERTYUIOPASDF',
  'sk-proj-T3BlbkFJx9Yz8Wv7Ut6Sr5Qp4On3Ml2Kj1Ih0Gf9',
  'glpat-x9Yz8Wv7Ut6Sr5Qp4On3',
  `AIzaSyD${letters.slice(0, 32)}`,
]

describe('what stands beside a token', () => {
  it.each([
    ['an address', (token: string) => `git remote add origin https://${token}@github.com/x/y`],
    ['a path', (token: string) => `GET https://api.example.io/v1/${token}/me`],
    ['a name', (token: string) => `run_${token}`],
    ['an id', (token: string) => `s-${token}`],
    ['a color, first in the text', (token: string) => `\u001b[32m${token}`],
    ['a color as it is written, first in the text', (token: string) => `\\u001b[32m${token}`],
  ])('hides none: %s', (_, place) => {
    for (const token of tokens) expect(redact(place(token))).not.toContain(token)
  })

  it('leaves paths and names that begin like short ones', () => {
    const text = 'https://example.sk/sk-kontakt-a-informacie-2024 foo_npm_config_node_gyp_v8_2 mask-sk-card-title-row-12 /hf_models_cache_dir_2024_x'
    expect(redact(text)).toBe(text)
  })

  it('leaves base64 that spells a beginning', () => {
    const text = 'iVBORw0KGgo/AKIAabcDEF+ghp_ab/ASIA+sk-'
    expect(redact(text)).toBe(text)
  })
})
