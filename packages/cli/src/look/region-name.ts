/** What a region of the context is called wherever a person reads it; JSON keeps `history` and `input`. The receipt of core says the same. */
export function regionName(region: string): string {
  return region === 'history' ? 'older' : region === 'input' ? 'request' : region
}
