// docs/errors.md: what is thrown, word for word, from the places where it is thrown.
import { globSync, readFileSync } from 'node:fs'

const calls =
  /\b(?:new (InvalidConfigurationError|CompactionError|TamperedError|ConfigError|TranscriptError|TypeError|Error)|(super)|(refuse|refused|wrong|noModel|summarizerOptions))\(/g
/** What surrounds the words that the place gives. */
const whole = {
  InvalidConfigurationError: ([field, , expected, found = `${field} is …`]) => `Invalid configuration: ${found}; ${expected}.`,
  refuse: (said) => `Invalid configuration: ${said.length < 3 ? '…' : said[0]} is …; ${said.at(-1)}.`,
  TamperedError: ([key, reason]) => `What is stored under "${key}" cannot be trusted: ${reason}. Restore it from a backup, provide its key, or delete it.`,
  ConfigError: () => undefined,
  noModel: (said) => `Invalid configuration: model is …; ${said.at(-1)}.`,
  summarizerOptions: (said) => `Invalid configuration: model is …; ${said.at(-1)}.`,
  refused: (said) => said.at(-1),
  wrong: (said) => said.at(-1),
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
  const found = [...source.matchAll(calls)].map(({ 0: beginning, 1: made, 2: parent, 3: name = made ?? parent, index }) => {
    const said = argumentsAt(source, index + beginning.length).map(saidBy)
    return whole[name] === undefined ? said[0] : whole[name](said)
  })
  const problems = [...source.matchAll(/\bpath: [^\n]*\bmessage: /g)].map(({ 0: beginning, index }) => saidBy(argumentsAt(source, index + beginning.length)[0]))
  // What is put together elsewhere has no words here that somebody could search for.
  return [...found, ...problems].filter(
    (message) => message !== undefined && !/^…?$|; …\.$|^Invalid configuration: … is …; (?:expected|write) …\.$/.test(message),
  )
}

/** All texts of a source, also those inside templates; what is put in at run time is `…`. */
function textsIn(source) {
  const found = []
  const read = (from, isOver) => {
    let at = from
    for (; at < source.length && !isOver(source[at]); at++) {
      if (source.startsWith('//', at)) at = source.indexOf('\n', at)
      else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1
      else if (source[at] === '{') at = read(at + 1, (char) => char === '}')
      else if (`'"\``.includes(source[at])) at = text(at + 1, source[at])
    }
    return at
  }
  const text = (from, quote) => {
    let [at, said] = [from, '']
    for (; at < source.length && source[at] !== quote; at++) {
      if (quote === '`' && source.startsWith('${', at)) {
        at = read(at + 2, (char) => char === '}')
        said += '…'
      } else said += source[at] === '\\' ? source[++at] : source[at]
    }
    found.push(said.replace(/…{2,}/g, '…'))
    return at
  }
  read(0, () => false)
  return found
}

/** What an error expects, where the words stand in a table or in a schema and not where it is thrown. */
function expectationsIn(path, source, known) {
  if (!/\b(?:InvalidConfigurationError|ConfigError|ValueRules|zod)\b|written-otherwise/.test(source)) return []
  return textsIn(source)
    .filter(
      (text) =>
        /^(?:(?:expected|write) (?!…$)|missing; |unknown field|… is none of )/.test(text) &&
        !known.some((message) => message.includes(text) && !message.includes(`${text} with `)),
    )
    .map((text) => (path.includes('/config/') ? `…: ${text.replace(/…$/, '')}…` : `Invalid configuration: … is …; ${text}.`))
}

/** Options of the compactor, with what to write for each. */
const optionsIn = (path, source) =>
  path.endsWith('option-names.ts')
    ? [...source.matchAll(/^ {2}(\w+): '[\w.]+\|([^']+)',$/gm)].map(([, name, write]) => `Invalid configuration: ${name} is …; write ${write}.`)
    : []

export function errorsTable() {
  const packages = globSync('packages/*/src').toSorted()
  const parts = packages.flatMap((folder) => {
    const name = `@precis/${folder.split('/')[1]}`
    if (name === '@precis/testkit') return []
    const files = globSync(`${folder}/**/*.ts`).toSorted()
    const sources = files.map((path) => [path, readFileSync(path, 'utf8')])
    const thrown = sources.flatMap(([path, source]) => [...messagesIn(source), ...optionsIn(path, source)])
    const messages = [...new Set([...thrown, ...sources.flatMap(([path, source]) => expectationsIn(path, source, thrown))])].toSorted()
    const rows = messages.map((message) => (message.includes('`') ? `- \`\`${message}\`\`` : `- \`${message}\``))
    return rows.length === 0 ? [] : [`## ${name}\n\n${rows.join('\n')}`]
  })
  return [{ path: 'docs/errors.md', marked: { errors: parts.join('\n\n') } }]
}
