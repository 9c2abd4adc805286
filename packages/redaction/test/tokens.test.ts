import { createRedactor } from '@precis/redaction'
import { describe, expect, it } from 'vitest'

// Secrets are put together here, so that this file sets off nobody's alarm.
const redact = createRedactor()
const letters = 'q8Zt3LmW0xR5vB3nKd92JfYpS7hGc4TzXe6UaQ1oVi0MwPy5'
const word = (length: number): string => letters.repeat(2).slice(0, length)
const hex = (length: number): string => '9f86d081b84c7d65a2feaa0c55ad015e'.repeat(3).slice(0, length)
const uuid = `3f2b8c1e-9d4a-4c6b-8f0e-${'1a2b3c4d5e6f'}`

/** The beginning apart from the rest. */
const tokens: Readonly<Record<string, readonly [start: string, rest: string]>> = {
  Cerebras: ['csk-', word(48).toLowerCase()],
  ElevenLabs: ['sk_', hex(48)],
  Voyage: ['pa-', `${word(20)}_${word(22)}`],
  Jina: ['jina_', `${hex(32)}${word(28)}`],
  Firecrawl: ['fc-', hex(32)],
  Gemini: ['AQ.', `Ab8RN6${word(20)}-${word(23)}`],
  'Modal, the id': ['ak-', word(22)],
  'Modal, the secret': ['as-', word(22)],
  Composio: ['ak_', word(20)],
  E2B: ['e2b_', hex(40)],
  Cursor: ['key_', hex(64)],
  Together: ['tgp_v1_', word(43)],
  'Vercel, of a person': ['vcp_', word(56)],
  'Vercel, of an integration': ['vci_', word(56)],
  'Vercel, of an app': ['vca_', word(56)],
  'Vercel, to refresh': ['vcr_', word(56)],
  'Vercel, AI Gateway': ['vck_', word(56)],
  'Cloudflare, of a user': ['cfut_', `${word(40)}${hex(8)}`],
  'Cloudflare, of an account': ['cfat_', `${word(40)}${hex(8)}`],
  'Cloudflare, of everything': ['cfk_', `${word(40)}${hex(8)}`],
  Netlify: ['nfp_', word(36)],
  Render: ['rnd_', word(28)],
  Neon: ['napi_', word(64)],
  PostHog: ['phx_', word(43)],
  fal: [uuid, `:${hex(32)}`],
  Zhipu: [hex(32), `.${word(16)}`],
}

describe('a token without a name is found:', () => {
  it.each(Object.entries(tokens))('%s', (_, [start, rest]) => {
    for (const text of [`use ${start}${rest} for it`, `["${start}${rest}"]`, `https://x.dev/?k=${start}${rest}&x=1`, `${start}${rest}`]) {
      const hidden = redact(text)
      expect(hidden).not.toContain(start + rest.slice(0, 4))
      expect(hidden).not.toContain(rest.slice(-8))
    }
  })
})

describe('a key behind its name is found, however few digits it holds', () => {
  it.each([
    ['MISTRAL_API_KEY', 'kTqWzRbnXvLpGhJdSfYcMoUaEiQwPs4t'],
    ['VERCEL_TOKEN', 'kTqWzRbnXvLpGhJdSfYcMo4a'],
    ['SOME_API_KEY', 'kTqWzRbnXvLpGhJdSfYcMo4aEi'],
    ['SOME_TOKEN', 'kTqWzRbnXvLpGhJdSfYcMoUaEiQw'],
  ])('%s', (name, value) => {
    expect(redact(`${name}=${value}`)).not.toContain(value)
    expect(redact(`{"${name}":"${value}"}`)).not.toContain(value)
  })
})

describe('is left as it is:', () => {
  it.each([
    'napi_create_function(env, nullptr, 0, callback, nullptr, &result)',
    'NAPI_EXTERN napi_status NAPI_CDECL napi_get_value_string_utf8(napi_env env)',
    `phc_${word(43)} is in every page of a site`,
    'the key key_of_the_map2 and fc-match 2.13, pa-11-y, as-is',
    'as-determined-by-the-second-reviewer-of-2024',
    'pa-really-long-class-name-of-some-component-in-2-columns-wide',
    'vci_open_device_handle_with_all_flags_of_2',
    'ak_some_field_name_of_2',
    'rnd_state_of_the_generator_1',
    `dist/main.${hex(32)}.js and ${hex(32)}.chunk0123456789a.js`,
    `${uuid}:12`,
    `layer ${hex(32)}:${hex(32)}`,
    'sk_buff *skb = alloc_skb(len, GFP_KERNEL)',
    'token = getTokenFromRequestHeadersOrCookies1',
    "api_key: 'TheNameOfTheVariableThatHoldsIt2'",
    'const token = createAuthorizationTokenProvider',
    'TPMHTLoadedSession = TPMHTHMACSession',
    'Sig: TPM2BPublicKeyRSA{ Buffer: sig }',
    'AccessTokenSecret = RemoteIPAddressOfTheHTTPClient',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })
})
