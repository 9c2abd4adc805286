/**
 * Tokens per run of like characters, fitted by bounded ridge regression to o200k_base counts of 600-character pieces of 19 kinds of text
 * (prose, TypeScript, Python, JSON logs, agent transcripts, Chinese, Japanese, Korean, Russian, Arabic, Latin languages, base64, hex, numbers, emoji, white space).
 * What those texts hardly have is one weight per character: the ends of long runs; and the last two classes, by translations of programs into their languages.
 * One row per character class and context (after white space, letters, digits, punctuation, others); 16 run lengths a row, in fiftieths of a token.
 * The error per class is printed by `npm run bench`.
 *
 * A weight is written as what it adds to that of the run one character shorter, plus 400, in base 36: here the first digits, below the second ones,
 * since digits of one kind compress better side by side. Each longer run of a row adds what its last one adds: a row ends there.
 */
export const firstDigits: string =
  // space
  'bcbbbabbbabab' +
  'bdbbabba9d9cab' +
  'bd9bcaa' +
  'bcaaacbac9b9bac' +
  'bc9c9c9cbc9ab' +
  // line break, tab
  'cac' +
  'cab' +
  'bc' +
  'bad9b' +
  'bcb' +
  // lower-case letters
  'cbbbbbbbbbbbacbe' +
  'bdababbaabcc8d' +
  'cbbbaaaacdcb' +
  'cbcabbbbbbbc8fd7' +
  'bbbace7db9b' +
  // capitals
  'cacbcb9caae8c' +
  'dbbaea' +
  'ccccbabcbbbb' +
  'dababbab' +
  'c9fb' +
  // digits
  'dbbcbbb' +
  'cabcbbcabcabdb' +
  'bb' +
  'cbacabcbac' +
  'cab' +
  // punctuation
  'cbbbcbf4ecbcbba6' +
  'bbbcaebdb' +
  'cbacda' +
  'cb' +
  'cbca' +
  // Latin beyond ASCII
  'c9c' +
  'cfa' +
  'cb' +
  'be' +
  'cb' +
  // Cyrillic, Greek, Arabic and the like
  'cbbbbabbbabacbba' +
  'eab' +
  'bb' +
  'e7bbbcabe9aabd' +
  'eb' +
  // Han and full-width
  'dcbca9dg8edd7ebd' +
  'cbabccdebdad9db' +
  'bccbcc' +
  'e9ce9eebcdbdbdad' +
  'bbcabc9becffc798' +
  // kana
  'bbdcbcbcacceaad' +
  'cbbc' +
  'cbbc' +
  'bbaedcbbc' +
  'dcbcbbcc9fbc7dg9' +
  // Hangul
  'bcbbbc9ce' +
  'bdb' +
  'bdc' +
  'c9ddc' +
  'bad' +
  // surrogates (emoji)
  'eac' +
  'cb' +
  'dc' +
  'db' +
  'ebbbc' +
  // symbols, controls
  'dacb' +
  'bc' +
  'cb' +
  'cb' +
  'bf' +
  // scripts that spend about a token on two characters: Thai, Khmer, Burmese, Sinhala; vowel signs
  'b' +
  'b' +
  'b' +
  'b' +
  'b' +
  // those that spend two tokens on one: Lao, Tibetan, Ethiopic, braille
  'd' +
  'd' +
  'd' +
  'd' +
  'd'

export const secondDigits: string =
  // space
  '442a5hs29y4r8 ' +
  '495l31wbmver36 ' +
  '8qv32ny ' +
  'jzsds48nlzjl7bc ' +
  'dfkollmnkiq5i ' +
  // line break, tab
  'sn1 ' +
  'vdw ' +
  'y1 ' +
  'mm7er ' +
  'wl0 ' +
  // lower-case letters
  'b654932nfcgvwj3j ' +
  '4f75v7clzf4nrf ' +
  'hdqpvwep8117 ' +
  '507d4o1a0ep6d2km ' +
  'x66o7ajbgfd ' +
  // capitals
  'dp0042fuz1k3c ' +
  'a9uy8l ' +
  'k9bbjlr404ek ' +
  '6s5y5hro ' +
  'ok3g ' +
  // digits
  'i08c6gt ' +
  'ot3f7fdw9ho7e3 ' +
  'wk ' +
  'w4wdudohue ' +
  'geh ' +
  // punctuation
  'c35wxm1suk45rrbd ' +
  'uo11gl6rr ' +
  '6jvtqu ' +
  'hv ' +
  '1yiy ' +
  // Latin beyond ASCII
  'vd7 ' +
  '07z ' +
  'm6 ' +
  '4q ' +
  '4c ' +
  // Cyrillic, Greek, Arabic and the like
  '43vidsp5pfwqkpym ' +
  '34g ' +
  'rk ' +
  'ay44tfiqztzu3u ' +
  '03 ' +
  // Han and full-width
  '9xzngfeaard02bo2 ' +
  'qdfgt5wtc3f8vpd ' +
  '92rxp5 ' +
  '8e3kexxdyeeq5vzy ' +
  'jnfyj2x9orodbn4l ' +
  // kana
  'ml373eg8b8u3ese ' +
  'ppy2 ' +
  'ppy1 ' +
  'go8alz2p0 ' +
  '8caw4d1rtl0rkg5u ' +
  // Hangul
  'xnmcxqfp3 ' +
  '6kp ' +
  '4fk ' +
  'eub57 ' +
  'iq1 ' +
  // surrogates (emoji)
  'l43 ' +
  'j9 ' +
  '59 ' +
  '1s ' +
  'ui4iy ' +
  // symbols, controls
  'erem ' +
  '4e ' +
  'sa ' +
  'n9 ' +
  '4o ' +
  // scripts that spend about a token on two characters: Thai, Khmer, Burmese, Sinhala; vowel signs
  'u ' +
  'u ' +
  'u ' +
  'u ' +
  'u ' +
  // those that spend two tokens on one: Lao, Tibetan, Ethiopic, braille
  'w ' +
  'w ' +
  'w ' +
  'w ' +
  'w'

/** Fiftieths of a token for each character of a run beyond the sixteenth, per class. */
export const tailWeights: readonly number[] = [1, 5, 5, 25, 19, 1, 92, 1, 41, 28, 35, 45, 3, 26, 100]
