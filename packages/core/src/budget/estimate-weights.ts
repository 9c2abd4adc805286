/**
 * Tokens per run of like characters, fitted by bounded ridge regression to o200k_base counts of 600-character pieces of 19 kinds of text
 * (prose, TypeScript, Python, JSON logs, agent transcripts, Chinese, Japanese, Korean, Russian, Arabic, Latin languages, base64, hex, numbers, emoji, white space).
 * What those texts hardly have is one weight per character: the ends of long runs; and the last two classes, by translations of programs into their languages.
 * One row per character class and context (after white space, letters, digits, punctuation, others); 16 run lengths a row, in fiftieths of a token.
 * The error per class is printed by `npm run bench`.
 *
 * A weight is written as what it adds to that of the run one character shorter, plus 469, in base 36: here the first digits, below the second ones,
 * since digits of one kind compress better side by side, and those that code is full of better still. Each longer run of a row adds what its last one adds: a row ends there.
 */
export const firstDigits: string =
  // space
  'decddcdcdcdcd' +
  'dfddccdcbfbecd' +
  'dfbddcc' +
  'decccedcebdbdce' +
  'debebebedebcd' +
  // line break, tab
  'ecd' +
  'ecd' +
  'dd' +
  'dcfbd' +
  'dec' +
  // lower-case letters
  'edddddcdddddcedg' +
  'dfcdcddccdeeaf' +
  'edddcccceedd' +
  'ececddcdcddeagf9' +
  'dddceg9fdbd' +
  // capitals
  'ecdcecbecbgae' +
  'fddcgc' +
  'eeeedcdecddd' +
  'fcdcddcd' +
  'ebhd' +
  // digits
  'fcdeddd' +
  'ecdeddecdecdfd' +
  'dd' +
  'edcecdedce' +
  'ecd' +
  // punctuation
  'edddedg6gededdc8' +
  'ddcdcgdfd' +
  'edcefc' +
  'ed' +
  'ddec' +
  // Latin beyond ASCII
  'ebe' +
  'dhc' +
  'ed' +
  'dg' +
  'ed' +
  // Cyrillic, Greek, Arabic and the like
  'eddddcdddcdceddc' +
  'gcd' +
  'dd' +
  'g9dddecdgbccdf' +
  'fd' +
  // Han and full-width
  'fedecbfiagfe8gde' +
  'edcdeefgdfcfbfd' +
  'ddedee' +
  'gbegbggdefdfdfcf' +
  'ddecddbdgehhe9ba' +
  // kana
  'ddfededeceegccf' +
  'eddd' +
  'eddd' +
  'ddcgfecdd' +
  'fededddebhce9fib' +
  // Hangul
  'dedddebeg' +
  'dfd' +
  'dfe' +
  'ebffe' +
  'dce' +
  // surrogates (emoji)
  'gce' +
  'ed' +
  'fe' +
  'ed' +
  'gddde' +
  // symbols, controls
  'fced' +
  'de' +
  'ed' +
  'ed' +
  'dh' +
  // scripts that spend about a token on two characters: Thai, Khmer, Burmese, Sinhala; vowel signs
  'd' +
  'd' +
  'd' +
  'd' +
  'd' +
  // those that spend two tokens on one: Lao, Tibetan, Ethiopic, braille
  'f' +
  'f' +
  'f' +
  'f' +
  'f'

export const secondDigits: string =
  // space
  '11z72epz6v1o5 ' +
  '162i0yt8jsbo03 ' +
  '5ns0zkv ' +
  'gwpap15kiwgi489 ' +
  'achliijkhfn2f ' +
  // line break, tab
  'pky ' +
  'sat ' +
  'vy ' +
  'jj4bo ' +
  'tix ' +
  // lower-case letters
  '832160zkc9dstg0g ' +
  '1c42s49iwc1koc ' +
  'eanmstbm5yy4 ' +
  '2x4a1ly7xbm3azhj ' +
  'u33l47g8dca ' +
  // capitals
  'amxx1zcrwyh09 ' +
  '76rv5i ' +
  'h688gio1x1bh ' +
  '3p2v2eol ' +
  'lh0d ' +
  // digits
  'fx593dq ' +
  'lq0c4cat6el4b0 ' +
  'th ' +
  't1taralerb ' +
  'dbe ' +
  // punctuation
  '902tujyprh12oo8a ' +
  'rlyydi3oo ' +
  '3gsqnr ' +
  'es ' +
  'yvfv ' +
  // Latin beyond ASCII
  'sa4 ' +
  'x4w ' +
  'j3 ' +
  '1n ' +
  '19 ' +
  // Cyrillic, Greek, Arabic and the like
  '10sfapm2mctnhmvj ' +
  '01d ' +
  'oh ' +
  '7v11qcfnwqwr0r ' +
  'x0 ' +
  // Han and full-width
  '6uwkdcb77oaxz8lz ' +
  'nacdq2tq90c5sma ' +
  '6zoum2 ' +
  '5b0hbuuavbbn2swv ' +
  'gkcvgzu6lola8k1i ' +
  // kana
  'ji040bd585r0bpb ' +
  'mmvz ' +
  'mmvy ' +
  'dl57iwzmx ' +
  '597t1ayoqixohd2r ' +
  // Hangul
  'ukj9uncm0 ' +
  '3hm ' +
  '1ch ' +
  'br824 ' +
  'fny ' +
  // surrogates (emoji)
  'i10 ' +
  'g6 ' +
  '26 ' +
  'yp ' +
  'rf1fv ' +
  // symbols, controls
  'bobj ' +
  '1b ' +
  'p7 ' +
  'k6 ' +
  '1l ' +
  // scripts that spend about a token on two characters: Thai, Khmer, Burmese, Sinhala; vowel signs
  'r ' +
  'r ' +
  'r ' +
  'r ' +
  'r ' +
  // those that spend two tokens on one: Lao, Tibetan, Ethiopic, braille
  't ' +
  't ' +
  't ' +
  't ' +
  't'

/** Fiftieths of a token for each character of a run beyond the sixteenth, per class. */
export const tailWeights: readonly number[] = [1, 5, 5, 25, 19, 1, 92, 1, 41, 28, 35, 45, 3, 26, 100]
