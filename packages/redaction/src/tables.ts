import type { Finding } from '@precis/core'
import { isKey, isPassword } from './judge.ts'
import { promiseOf, wordsOf } from './names.ts'
import type { NearFinder } from './near.ts'

/** Rows of a table that are looked at behind its heading. */
const mostRows = 2_000

/** Tables in which a column is called a password or a key: CSV, TSV, with `;` or `|`. */
export const tableFinder: NearFinder = { near: 'password|passwd|secret|token|access key|apikey|api key|api_key|api-key', find: inRows }

/** The same for the columns of an SQL insert. */
export const insertFinder: NearFinder = { near: 'insert', find: inInserts }

const longestHeading = 600

function inRows(text: string, places: readonly number[]): readonly Finding[] {
  const found: Finding[] = []
  let done = -1
  for (const index of places) {
    if (index < done) continue
    const from = text.lastIndexOf('\n', index) + 1
    const stop = text.indexOf('\n', index)
    done = stop < 0 ? text.length : stop
    if (stop < 0 || done - from > longestHeading) continue
    const line = text.slice(from, done)
    const separator = [',', '\t', ';', '|'].find((one) => line.split(one).length >= 2 && line.split(one).length <= 40)
    if (separator === undefined) continue
    const columns = line.split(separator).map((cell) => cell.replace(/["'*`\r]/g, '').trim())
    // A heading is made of names: prose and code are not.
    if (columns.filter((cell) => cell !== '').length < 2 || !columns.every((cell) => /^[\w .()/#-]{0,40}$/.test(cell))) continue
    const promised = columns.map((cell) => promiseOf(wordsOf(cell)))
    if (!promised.some((one) => one !== 'nothing')) continue
    let start = done + 1
    for (let rows = 0; rows < mostRows && start < text.length; rows++) {
      const stop = text.indexOf('\n', start)
      const end = stop < 0 ? text.length : stop
      const row = text.slice(start, end)
      // What is drawn between the heading and the rows.
      if (/^[\s|+:=-]{2,600}$/.test(row)) {
        start = end + 1
        continue
      }
      const cells = row.split(separator)
      if (cells.length !== columns.length) break
      let at = start
      cells.forEach((cell, column) => {
        const value = cell.replace(/^[\s"'`]+|[\s"'`]+$/g, '')
        const kind = promised[column]
        const accepted = kind === 'password' ? isPassword(value, { quoted: true, whole: true }) : kind !== 'nothing' && kind !== undefined && isKey(value, true)
        if (accepted) {
          const from = at + cell.indexOf(value)
          found.push({ start: from, end: from + value.length, tag: kind === 'password' ? kind : 'key' })
        }
        at += cell.length + 1
      })
      start = end + 1
    }
    // A row is no heading of another table.
    done = start - 1
  }
  return found
}

const insert = /\bINSERT\s{1,4}INTO\s{1,4}[\w."`[\]]{1,100}\s{0,4}\((?<columns>[^()]{3,1000})\)\s{0,10}VALUES\s{0,10}(?<rows>\([^;]{1,8000})/iy
const cell = /'((?:[^'\n]|''){0,2000})'|[^,()'\s][^,()']{0,200}|\)/g

function inInserts(text: string, places: readonly number[]): readonly Finding[] {
  const found: Finding[] = []
  for (const index of places) {
    insert.lastIndex = index
    const match = insert.exec(text)
    if (match === null) continue
    const { columns = '', rows = '' } = match.groups ?? {}
    const promised = columns.split(',').map((name) => promiseOf(wordsOf(name)))
    if (!promised.some((one) => one !== 'nothing')) continue
    const from = match.index + match[0].length - rows.length
    let column = 0
    for (const value of rows.matchAll(cell)) {
      if (value[0] === ')') {
        column = 0
        continue
      }
      const kind = promised[column++]
      const secret = value[1]
      if (secret === undefined || secret === '') continue
      const accepted = kind === 'password' ? isPassword(secret, { quoted: true, whole: true }) : kind !== 'nothing' && kind !== undefined && isKey(secret, true)
      if (accepted) found.push({ start: from + value.index + 1, end: from + value.index + 1 + secret.length, tag: kind === 'password' ? kind : 'key' })
    }
  }
  return found
}
