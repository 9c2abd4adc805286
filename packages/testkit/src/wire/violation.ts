/** One rule that a request breaks, in the provider's own words. */
export interface Violation {
  readonly rule: string
  readonly message: string
}
