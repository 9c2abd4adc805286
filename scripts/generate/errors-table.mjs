// docs/errors.md: what is thrown, word for word, from the places where it is thrown.
import { globSync, readFileSync } from 'node:fs'

const thrown = /\b(?:new (InvalidConfigurationError|CompactionError|TamperedError|ConfigError|TranscriptError|TypeError|Error)|(super)|refuse)\(/g
/** What surrounds the words that the place gives. */
const whole = {
  InvalidConfigurationError: ([field, , expected, found = `${field} is …`]) => `Invalid configuration: ${found}; ${expected}.`,
  refuse: (said) => `Invalid configuration: ${said.length < 3 ? '…' : said[0]} is …; ${said.at(-1)}.`,
  TamperedError: ([key, reason]) => `What is stored under "${key}" cannot be trusted: ${reason}. Restore it from a backup, provide its key, or delete it.`,
  ConfigError: () => undefined,
}

/** The arguments of a call that begins at `from`, as they are written. */
function argumentsAt(text, from) {
  const found = ['']
  let [depth, quote] = [0, '']
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (quote !== '') {
      if (char === '\\') found[found.length - 1] += text[at++]
      else if (char === quote) quote = ''
    } else if (`'"\``.includes(char)) quote = char
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char) && depth-- === 0) break
    else if (char === ',' && depth === 0) {
      found.push('')
      continue
    }
    found[found.length - 1] += text[at]
  }
  // A call that is written over several lines ends with a comma.
  if (found.at(-1).trim() === '') found.pop()
  return found.map((argument) => argument.trim())
}

/** What a literal says; what is put in at run time is `…`. */
function saidBy(argument) {
  const literal = /^(['"`])([\s\S]*)\1$/.exec(argument)
  if (literal === null) return '…'
  return literal[2]
    .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
    .replace(/…{2,}/g, '…')
    .replace(/\\(.)/g, '$1')
}

function messagesIn(source) {
  const found = [...source.matchAll(thrown)].map(({ 0: beginning, 1: made, 2: name = made ?? 'refuse', index }) => {
    const said = argumentsAt(source, index + beginning.length).map(saidBy)
    return whole[name] === undefined ? said[0] : whole[name](said)
  })
  const problems = [...source.matchAll(/\bpath: [^\n]*\bmessage: /g)].map(({ 0: beginning, index }) => saidBy(argumentsAt(source, index + beginning.length)[0]))
  // What is put together elsewhere has no words here that somebody could search for.
  return [...found, ...problems].filter(
    (message) => message !== undefined && !/^…?$|; …\.$|^Invalid configuration: … is …; (?:expected|write) …\.$/.test(message),
  )
}

export function errorsTable() {
  const packages = globSync('packages/*/src').toSorted()
  const parts = packages.flatMap((folder) => {
    const name = `@precis/${folder.split('/')[1]}`
    if (name === '@precis/testkit') return []
    const files = globSync(`${folder}/**/*.ts`).toSorted()
    const messages = [...new Set(files.flatMap((path) => messagesIn(readFileSync(path, 'utf8'))))].toSorted()
    const rows = messages.map((message) => (message.includes('`') ? `- \`\` ${message} \`\`` : `- \`${message}\``))
    return rows.length === 0 ? [] : [`## ${name}\n\n${rows.join('\n')}`]
  })
  return [{ path: 'docs/errors.md', marked: { errors: parts.join('\n\n') } }]
}
