/** Time and identity, so that runs can be repeated byte for byte. `now` is in milliseconds since 1970. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** A name that nothing else has. */
  id(): string
}
