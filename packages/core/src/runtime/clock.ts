/** Time and identity, so that runs can be repeated byte for byte. `now` is in milliseconds since 1970. */
export interface Clock {
  now(): number
  id(): string
}
