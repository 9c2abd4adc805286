import type { Embedder } from '../../../partition/embedder.ts'

/** An embedder that needs no model: texts are alike when they share rare words. */
export function lexicalEmbedder(): Embedder {
  return { name: 'lexical', embed: async (texts) => (await import('../../../partition/semantic.ts')).lexicalVectors(texts) }
}
