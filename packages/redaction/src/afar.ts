import type { RedactionRule } from '@precis/core'
import { isTold } from './told.ts'

/** Letters, digits and signs of ASCII, as passwords are typed where the sentence around them is written in other letters. */
const typed = String.raw`["'“«「『\x60]?(?<secret>[!#-&(-;=?-[\]-_a-~]{5,400}[!#-&+/-9=@-[\]-_a-~])`

/** What a password is called in Russian, Chinese, Japanese and Korean, and what says that it is one. No word of ASCII gives them away. */
export const afarRules: readonly RedactionRule[] = [
  {
    tag: 'password',
    pattern: new RegExp(
      String.raw`(?:парол(?:ь|я|ем)(?: [^\s:—–]{1,20}){0,3}?\s{0,3}(?:[:：=—–]| -|\s(?:это|теперь))\s{0,3}|паролем\s|(?:密码|密碼|口令)\s?(?:[:：=是为為]|(?:改|设|設|设置|重置)(?:为|為|成))\s{0,3}|(?:パスワード|暗証番号)\s?[:：=はをが]\s{0,3}|(?:비밀번호|암호)(?:[:：=는은가]|\s?:)\s{0,3})${typed}`,
      'gi',
    ),
    accept: isTold,
  },
]
