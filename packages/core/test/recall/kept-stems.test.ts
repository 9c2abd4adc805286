import { describe, expect, test } from 'vitest'
import { packStems, stemsIn, unpackStems } from '../../src/recall/everyday-words.ts'

describe('what is remembered of a sentence', () => {
  test.each([
    '',
    'Indentation, indented and indent; prompt1content beside prompts.',
    'Der Vertragspartner hat am 3. Mai 2024 den Vertrag ABC1234 unterschrieben',
    'Ulvertonのスキャンは3個、изменения документа, การแจ้งเตือน',
  ])('gives back the same stems in the same order: %s', (text) => {
    const stems = stemsIn(text)
    expect([...unpackStems(packStems(stems))]).toEqual([...stems])
  })
})
