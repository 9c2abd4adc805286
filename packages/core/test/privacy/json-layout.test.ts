import { createRedactor } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { readingJson } from '../../src/privacy/redact-value.ts'

const redact = readingJson(createRedactor())
const shown = (text: string): string => redact(text).replace(/(?<=\[[a-z-]+):[0-9a-f]{6}(?=\])/g, '')
/** Found by the name above it alone. */
const secret = '"admin_password": { "note": "of the admin", "raw": "hunter2-x9" }'
const hidden = '"admin_password": { "note": "of the admin", "raw": "[password]" }'

describe('JSON with a secret that is found by its names', () => {
  it.each([
    ['keeps its layout', `{\n  ${secret},\n\t"list": [ 1, 2 ],\r\n  "empty": {}, "none": []\n}\n`],
    ['keeps its numbers', `{ ${secret}, "id": 9007199254740993123, "price": 1.10, "many": 1e3, "less": -0, "yes": true, "no": null }`],
    ['keeps how its texts and names are written', `{ ${secret}, "\\u0061b": "\\u00e9 \\/ \\"x\\" \\\\", "{": "[1.10, \\"a\\": 2]" }`],
    ['keeps numbers as names', `{ "2024": 1.10, ${secret}, "b": { "1": 2.0, "2": 3.0 } }`],
  ])('%s', (_, text) => {
    expect(shown(text)).toBe(text.replace(secret, hidden))
    expect(redact(redact(text))).toBe(redact(text))
  })
  it('is written anew where a name comes twice: both may be secrets', () => {
    const read = shown(`{ "admin_password": { "raw": "hunter2-x9", "raw": "hunter3-y8" }, "price": 1.10 }`)
    expect(read).toBe('{"admin_password":{"raw":"[password]"},"price":1.1}')
  })
  it('means the same, where numbers as names stand behind others', () => {
    const read = shown(`{ "b": 1.10, ${secret}, "1": 2 }`)
    expect(JSON.parse(read)).toEqual(JSON.parse(`{ "b": 1.10, ${hidden}, "1": 2 }`))
  })
})
