import type { Embedder } from '../ports.ts'
import { lexicalVectors } from '../semantic.ts'

/** An embedder that needs no model: texts are alike when they share rare words. */
export function lexicalEmbedder(): Embedder {
  return { name: 'lexical', embed: async (texts) => lexicalVectors(texts) }
}
