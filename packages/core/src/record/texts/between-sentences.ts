/** Between two sentences, and lines. A full stop ends none behind the number of a list item, an initial, a title, a day of the month, and a short word before a number (`No. 2`, `Art. 5`). */
export const betweenSentences: RegExp =
  /(?<=[.!?؟۔])(?<!^[*_]*\d{1,3}\.|(?<![\p{L}\p{M}\d])(?:\p{L}|al|bzw|ca|dr|etc|hr|mrs?|ms|nr|prof|sra?|st|vs|(?:ab|am|bis|de[mnrs]|seit|und|vom|zum) \d{1,2}|\p{L}{2,3}(?=\.\s+\d))\.)\s+|(?<=[。！？।])\s*(?=\S)|\n+/iu
