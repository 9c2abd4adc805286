/** The first name that a misspelt one becomes by one letter more, less or other, or by two where it has more than five; capitals aside. */
export function nearest(names: readonly string[], misspelt: string): string | undefined {
  return names.find((name) => isNear(name.toLowerCase(), misspelt.toLowerCase(), misspelt.length > 5 ? 2 : 1))
}

function isNear(one: string, other: string, mistakes: number): boolean {
  if (one === '' || other === '') return one.length + other.length <= mistakes
  const [left, right] = [one.slice(1), other.slice(1)]
  if (one[0] === other[0]) return isNear(left, right, mistakes)
  return mistakes > 0 && (isNear(left, right, mistakes - 1) || isNear(left, other, mistakes - 1) || isNear(one, right, mistakes - 1))
}
