import { createRedactor } from '@precis/core'
import { secretRules } from '@precis/redaction'
import { expect, it } from 'vitest'

it.each(['https://storage.googleapis.com/b/o?GoogleAccessId=x&Expires=1&Signature=', 'https://d1.cloudfront.net/a.mp4?Expires=1&amp;Signature='])(
  'the signature of %s… is hidden',
  (address) => {
    const secret = 'J8%2BqWcDEz7Rk1vTn5sghiJKLmnopQRstuVWxyz%2F0%3D'
    const hidden = createRedactor(secretRules)(`see ${address}${secret}&Key-Pair-Id=K1`)
    expect(hidden).toMatch(/Signature=\[signature:[0-9a-f]{6}\]&Key-Pair-Id=K1$/)
  },
)
