export const listFiles = (): string =>
  Array.from({ length: 40 }, (_, at) => `f${at}.txt`).join('\n')
export const readFile = (path: string): string =>
  `${path}\n${`line of ${path} with words\n`.repeat(300)}`
