import { stemOf } from './words.ts'

/** What is asked for by a word, and what its values look like in lower case: a price is there also where nobody calls it one. */
const kinds: readonly (readonly [words: string, value: string])[] = [
  [
    'price prices cost costs expensive cheap pay paid fee amount total sum preis kosten kostet teuer betrag prix coute montant precio cuesta importe prezzo costa preco custa prijs цена стоимость',
    String.raw`[€$£¥₹₩₽]\s?\d[\d.,]{0,20}|(?<![\d.,])\d[\d.,]{0,20}\s?(?:[€£¥₹₩₽]|(?:eur|usd|gbp|chf|jpy|inr|cents?)\b)`,
  ],
  ['weight weigh weighs heavy gewicht schwer wiegt poids lourd peso pesa', String.raw`(?<![\d.,])\d[\d.,]{0,20}\s?(?:kg|g|mg|t|lbs?|oz)\b`],
  [
    'date day due deadline since datum termin frist fecha plazo data scadenza delai',
    String.raw`\b\d{4}-\d\d-\d\d\b|\b\d\d?[./]\d\d?[./]\d{2,4}\b|\b\d\d? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`,
  ],
  ['phone telephone call mobile telefon telefono', String.raw`\+\d[\d ()/-]{6,20}\d`],
  ['email mail address correo', String.raw`\S@\w[\w-]*\.\w`],
  ['timeout wait waits duration long dauer', String.raw`(?<![\d.,])\d[\d.,]{0,20}\s?(?:ms|s|sec|min|h|hours?|minutes?|seconds?)\b`],
  ['size memory disk groesse grosse taille', String.raw`(?<![\d.,])\d[\d.,]{0,20}\s?(?:[kmgt]i?b|bytes)\b`],
  ['rate share percent percentage margin discount accuracy anteil rabatt', String.raw`(?<![\d.,])\d[\d.,]{0,20}\s?%`],
]

const known = new Map(kinds.flatMap(([words, value]) => words.split(' ').map((word) => [stemOf(word), value] as const)))

/** What a value looks like that a word of a query asks for, by its stem; undefined for most words. */
export const valuePattern = (stem: string): string | undefined => known.get(stem)
