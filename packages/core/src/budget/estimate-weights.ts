/**
 * Tokens per run of like characters, fitted by bounded ridge regression to o200k_base counts of 600-character pieces of 19 kinds of text
 * (prose, TypeScript, Python, JSON logs, agent transcripts, Chinese, Japanese, Korean, Russian, Arabic, Latin languages, base64, hex, numbers, emoji, white space).
 * What those texts hardly have is one weight per character: the ends of long runs; and the last two classes, by translations of programs into their languages.
 * One row per character class and context (after white space, letters, digits, punctuation, others); 16 run lengths a row, in fiftieths of a token.
 * The error per class is printed by `npm run bench`.
 *
 * A weight is written as what it adds to that of the run one character shorter, plus 400, in base 36: here the first digits, below the second ones,
 * since digits of one kind compress better side by side.
 */
export const firstDigits: string =
  // space
  'bcbbbabbbababbbb' +
  'bdbbabba9d9cabbb' +
  'bd9bcaaaaaaaaaaa' +
  'bcaaacbac9b9bacc' +
  'bc9c9c9cbc9abbbb' +
  // line break, tab
  'cacccccccccccccc' +
  'cabbbbbbbbbbbbbb' +
  'bccccccccccccccc' +
  'bad9bbbbbbbbbbbb' +
  'bcbbbbbbbbbbbbbb' +
  // lower-case letters
  'cbbbbbbbbbbbacbe' +
  'bdababbaabcc8ddd' +
  'cbbbaaaacdcbbbbb' +
  'cbcabbbbbbbc8fd7' +
  'bbbace7db9bbbbbb' +
  // capitals
  'cacbcb9caae8cccc' +
  'dbbaeaaaaaaaaaaa' +
  'ccccbabcbbbbbbbb' +
  'dababbabbbbbbbbb' +
  'c9fbbbbbbbbbbbbb' +
  // digits
  'dbbcbbbbbbbbbbbb' +
  'cabcbbcabcabdbbb' +
  'bbbbbbbbbbbbbbbb' +
  'cbacabcbaccccccc' +
  'cabbbbbbbbbbbbbb' +
  // punctuation
  'cbbbcbf4ecbcbba6' +
  'bbbcaebdbbbbbbbb' +
  'cbacdaaaaaaaaaaa' +
  'cbbbbbbbbbbbbbbb' +
  'cbcaaaaaaaaaaaaa' +
  // Latin beyond ASCII
  'c9cccccccccccccc' +
  'cfaaaaaaaaaaaaaa' +
  'cbbbbbbbbbbbbbbb' +
  'beeeeeeeeeeeeeee' +
  'cbbbbbbbbbbbbbbb' +
  // Cyrillic, Greek, Arabic and the like
  'cbbbbabbbabacbba' +
  'eabbbbbbbbbbbbbb' +
  'bbbbbbbbbbbbbbbb' +
  'e7bbbcabe9aabddd' +
  'ebbbbbbbbbbbbbbb' +
  // Han and full-width
  'dcbca9dg8edd7ebd' +
  'cbabccdebdad9dbb' +
  'bccbcccccccccccc' +
  'e9ce9eebcdbdbdad' +
  'bbcabc9becffc798' +
  // kana
  'bbdcbcbcacceaadd' +
  'cbbccccccccccccc' +
  'cbbccccccccccccc' +
  'bbaedcbbcccccccc' +
  'dcbcbbcc9fbc7dg9' +
  // Hangul
  'bcbbbc9ceeeeeeee' +
  'bdbbbbbbbbbbbbbb' +
  'bdcccccccccccccc' +
  'c9ddcccccccccccc' +
  'badddddddddddddd' +
  // surrogates (emoji)
  'eacccccccccccccc' +
  'cbbbbbbbbbbbbbbb' +
  'dccccccccccccccc' +
  'dbbbbbbbbbbbbbbb' +
  'ebbbcccccccccccc' +
  // symbols, controls
  'dacbbbbbbbbbbbbb' +
  'bccccccccccccccc' +
  'cbbbbbbbbbbbbbbb' +
  'cbbbbbbbbbbbbbbb' +
  'bfffffffffffffff' +
  // scripts that spend about a token on two characters: Thai, Khmer, Burmese, Sinhala; vowel signs
  'bbbbbbbbbbbbbbbb' +
  'bbbbbbbbbbbbbbbb' +
  'bbbbbbbbbbbbbbbb' +
  'bbbbbbbbbbbbbbbb' +
  'bbbbbbbbbbbbbbbb' +
  // those that spend two tokens on one: Lao, Tibetan, Ethiopic, braille
  'dddddddddddddddd' +
  'dddddddddddddddd' +
  'dddddddddddddddd' +
  'dddddddddddddddd' +
  'dddddddddddddddd'

export const secondDigits: string =
  // space
  '442a5hs29y4r8888' +
  '495l31wbmver3666' +
  '8qv32nyyyyyyyyyy' +
  'jzsds48nlzjl7bcc' +
  'dfkollmnkiq5iiii' +
  // line break, tab
  'sn11111111111111' +
  'vdwwwwwwwwwwwwww' +
  'y111111111111111' +
  'mm7errrrrrrrrrrr' +
  'wl00000000000000' +
  // lower-case letters
  'b654932nfcgvwj3j' +
  '4f75v7clzf4nrfff' +
  'hdqpvwep81177777' +
  '507d4o1a0ep6d2km' +
  'x66o7ajbgfdddddd' +
  // capitals
  'dp0042fuz1k3cccc' +
  'a9uy8lllllllllll' +
  'k9bbjlr404ekkkkk' +
  '6s5y5hrooooooooo' +
  'ok3ggggggggggggg' +
  // digits
  'i08c6gtttttttttt' +
  'ot3f7fdw9ho7e333' +
  'wkkkkkkkkkkkkkkk' +
  'w4wdudohueeeeeee' +
  'gehhhhhhhhhhhhhh' +
  // punctuation
  'c35wxm1suk45rrbd' +
  'uo11gl6rrrrrrrrr' +
  '6jvtquuuuuuuuuuu' +
  'hvvvvvvvvvvvvvvv' +
  '1yiyyyyyyyyyyyyy' +
  // Latin beyond ASCII
  'vd77777777777777' +
  '07zzzzzzzzzzzzzz' +
  'm666666666666666' +
  '4qqqqqqqqqqqqqqq' +
  '4ccccccccccccccc' +
  // Cyrillic, Greek, Arabic and the like
  '43vidsp5pfwqkpym' +
  '34gggggggggggggg' +
  'rkkkkkkkkkkkkkkk' +
  'ay44tfiqztzu3uuu' +
  '0333333333333333' +
  // Han and full-width
  '9xzngfeaard02bo2' +
  'qdfgt5wtc3f8vpdd' +
  '92rxp55555555555' +
  '8e3kexxdyeeq5vzy' +
  'jnfyj2x9orodbn4l' +
  // kana
  'ml373eg8b8u3esee' +
  'ppy2222222222222' +
  'ppy1111111111111' +
  'go8alz2p00000000' +
  '8caw4d1rtl0rkg5u' +
  // Hangul
  'xnmcxqfp33333333' +
  '6kpppppppppppppp' +
  '4fkkkkkkkkkkkkkk' +
  'eub5777777777777' +
  'iq11111111111111' +
  // surrogates (emoji)
  'l433333333333333' +
  'j999999999999999' +
  '5999999999999999' +
  '1sssssssssssssss' +
  'ui4iyyyyyyyyyyyy' +
  // symbols, controls
  'eremmmmmmmmmmmmm' +
  '4eeeeeeeeeeeeeee' +
  'saaaaaaaaaaaaaaa' +
  'n999999999999999' +
  '4ooooooooooooooo' +
  // scripts that spend about a token on two characters: Thai, Khmer, Burmese, Sinhala; vowel signs
  'uuuuuuuuuuuuuuuu' +
  'uuuuuuuuuuuuuuuu' +
  'uuuuuuuuuuuuuuuu' +
  'uuuuuuuuuuuuuuuu' +
  'uuuuuuuuuuuuuuuu' +
  // those that spend two tokens on one: Lao, Tibetan, Ethiopic, braille
  'wwwwwwwwwwwwwwww' +
  'wwwwwwwwwwwwwwww' +
  'wwwwwwwwwwwwwwww' +
  'wwwwwwwwwwwwwwww' +
  'wwwwwwwwwwwwwwww'

/** Fiftieths of a token for each character of a run beyond the sixteenth, per class. */
export const tailWeights: readonly number[] = [1, 5, 5, 25, 19, 1, 92, 1, 41, 28, 35, 45, 3, 26, 100]
