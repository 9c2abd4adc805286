import { createRedactor } from '@precis/core'
import { describe, expect, it } from 'vitest'

describe('redaction', () => {
  const redact = createRedactor()
  it.each([
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE'],
    ['a GitHub token', `ghp_${'a1'.repeat(18)}`],
    ['an API key', `sk-proj-${'x'.repeat(40)}`],
    ['a JWT', `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['a password', 'password=hunter2hunter2'],
    ['credentials in an address', 'postgres://user:s3cretpass@host/db'],
    ['credentials at a host with _', 'postgres://user:s3cretpass@app_db/x'],
    ['credentials at a variable', 'postgres://user:s3cretpass@{host}/x'],
    ['a password beside its name', '{ "name": "DB_PASSWORD",\n  "value": "hunter2Zx9" }'],
    ['a password below its name', '"password": {\n  "value": "hunter2Zx9" }'],
    ['a header', 'Authorization: Bearer abcdefghijklmnop'],
    ['an address that Azure signed', 'https://a.blob.core.windows.net/c/b?sv=2022-11-02&sr=b&sig=J8%2BabcDEF0123456789ghiJKLmnopQR%2F0%3D'],
    ['an address that AWS signed', `https://b.s3.amazonaws.com/k?X-Amz-Expires=300&X-Amz-Signature=${'aeeed9bb'.repeat(8)}`],
    ['an address that Google signed', 'https://storage.googleapis.com/b/o?Expires=1&Signature=abcDEF0123456789ghiJKL%2F0%3D&x=1'],
    ['a signed address in HTML', '<a href="https://h/x?a=1&amp;sig=a1b2c3d4e5f6a7b8">'],
  ])('hides %s, once and for all', (_, text) => {
    const hidden = redact(`before ${text} after`)
    expect(hidden).toMatch(/\[[a-z-]+:[0-9a-f]{6}\]/)
    expect(hidden).not.toContain(text)
    expect(redact(hidden)).toBe(hidden)
    expect(hidden.startsWith('before ')).toBe(true)
  })
  it('gives the same secret the same tag', () => {
    const [first, second] = redact('AKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLE').split(' and ')
    expect(first).toBe(second)
  })
  it.each([
    'the password is written down',
    'sk-short',
    'https://example.com/path',
    'author: me',
    'token count',
    'https://h/x?sig=none&signature=Base64Url',
    '{"name":"password","value":"Your password"}',
  ])('leaves %j alone', (text) => {
    expect(redact(text)).toBe(text)
  })
})
