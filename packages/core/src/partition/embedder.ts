/** Vectors for texts, one each, in order; any length, not necessarily normalized. */
export interface Embedder {
  readonly name: string
  /** One vector for each text, in their order. Must honor `signal`. */
  embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly (readonly number[] | Readonly<Record<string, number>>)[]>
}
