/**
 * Tokens per run of like characters, fitted by bounded ridge regression to o200k_base counts of 600-character pieces of 19 kinds of text
 * (prose, TypeScript, Python, JSON logs, agent transcripts, Chinese, Japanese, Korean, Russian, Arabic, Latin languages, base64, hex, numbers, emoji, white space).
 * One row per character class and context (after white space, letters, digits, punctuation, others); 16 run lengths a row, in fiftieths of a token.
 * The error per class is printed by `npm run bench`.
 *
 * A weight is written as what it adds to that of the run one character shorter, plus 400, in base 36: here the first digits, below the second ones,
 * since digits of one kind compress better side by side.
 */
export const firstDigits: string =
  // space
  'bcbbbabbbabababb' +
  'bdbbabba9d9cabba' +
  'bd9bcababacaabba' +
  'bcaaacbac9b9babc' +
  'bc9c9c9cbc9aabbc' +
  // line break, tab
  'cacbbabbbbbbbbbb' +
  'cabd9abbbbbbbbbb' +
  'bc8cbbbbbbbbbbbb' +
  'bad9cacbbbcabcca' +
  'bcaba9cbbbbbbbbb' +
  // lower-case letters
  'cbbbbbbbbbbbacbe' +
  'bdababbaabcc8dce' +
  'cbbbaaaacdcd9abb' +
  'cbcabbbbbbbc8fd7' +
  'bbbace7db9babccb' +
  // capitals
  'cacbcb9caae8cbaf' +
  'dbbaeaacaacbbbbb' +
  'ccccbabcbbbbbbbb' +
  'dababbacac8cecbb' +
  'c9fae9abbbbbbbbb' +
  // digits
  'dbbcbbcbacabbbca' +
  'cabcbbcabcabdbaa' +
  'bbbbbbbbbbbbbbbb' +
  'cbacabcbadabcabb' +
  'cabbbbbbbbbbbbbb' +
  // punctuation
  'cbbbcbf4ecbcbba6' +
  'bbbcaebdcaccbcbb' +
  'cbacd8ccccbbbbbb' +
  'cbbbbbbbbbbbbbbb' +
  'cbcba9e8fdcccbbb' +
  // Latin beyond ASCII
  'c9cbbbbbbbbbbbbb' +
  'cfa9abbbbbbbbbbb' +
  'cbbbbbbbbbbbbbbb' +
  'beaabbbbbbbbbbbb' +
  'cbbbbbbbbbbbbbbb' +
  // Cyrillic, Greek, Arabic and the like
  'cbbbbabbbabacbba' +
  'eabbbbbbbbbbbcbb' +
  'bbbbbbbbbbbbbbbb' +
  'e7bbbcabe9aabece' +
  'eaabbbbbbbbbbbbb' +
  // Han and full-width
  'dcbca9dg8edd7ebd' +
  'cbabccdebdad9dbb' +
  'bccbcccccccccccb' +
  'e9ce9eebcdbdbdad' +
  'bbcabc9becffc798' +
  // kana
  'bbdcbcbcacceaadd' +
  'cbbcccccccccccbb' +
  'cbbcccccccccccbb' +
  'bbaedcbbbcccccbb' +
  'dcbcbbcc9fbc7dg9' +
  // Hangul
  'bcbbbc9cecccccbb' +
  'bdbcccccccccccbb' +
  'bdcbbcccccccccbb' +
  'c9ddcbbcccccccbb' +
  'badcccccccccccbb' +
  // surrogates (emoji)
  'eabccbdcbafeabcc' +
  'cbcbdccccccccccb' +
  'dbcccccccccccccb' +
  'dbcccccccccccccb' +
  'ebbbcca9edcccccb' +
  // symbols, controls
  'dacbbbbbbbbbbbba' +
  'bccbbbbbbbbbbbbb' +
  'cbbbbbbbbbbbbbbb' +
  'cbbbbbbbbbbbbbbb' +
  'bf9bbbbbccbbbbbb'

export const secondDigits: string =
  // space
  '442a5hs29y4rizc3' +
  '495l31wbmver3bjj' +
  '8qv32nc340nsw427' +
  'jzsds48nlzjl7bwt' +
  'dfkollmnkiq5vatz' +
  // line break, tab
  'sng6stafhijjjige' +
  'vds7yeqazrkjijge' +
  'ytldtnmnfiijjige' +
  'mm7e8l836b6xka0u' +
  'wlyhoy3zvqmkjjge' +
  // lower-case letters
  'b654932nfcgvwj3j' +
  '4f75v7clzf4nrl9y' +
  'hdqpvwep8112qe2e' +
  '507d4o1a0ep6d2km' +
  'x66o7ajbgf5sy44a' +
  // capitals
  'dp0042fuz1k3bvo9' +
  'a9uy8cakrsgzsce5' +
  'k9bbjlr404ekmjem' +
  '6s5y5hr9reuttjpf' +
  'ok3rcvn6inkonnlh' +
  // digits
  'i08c6g4nuj9h7c2g' +
  'ot3f7fdw9ho7ehhz' +
  'wejkklllllllkkjf' +
  'w4wdudohu2fo7rhq' +
  'gebzqnmlllllkkhc' +
  // punctuation
  'c35wxm1suk45rrbd' +
  'uo11gl6r3ip3pgh3' +
  '6jvtqpdwc4xyxwum' +
  'hmuwxyyyyyyyxwum' +
  '1yi0wf44e9g40xul' +
  // Latin beyond ASCII
  'vd7upmmmlmlmlkjf' +
  '07zlrahklllmlkjf' +
  'm69gkkmlmllmlkjf' +
  '4w1ubhklmllmllkg' +
  '43lmmlmlmllmlkjf' +
  // Cyrillic, Greek, Arabic and the like
  '43vidsp5pfwqkpym' +
  '340goz6gjlmnr04a' +
  'rjkkmlmlmllmlkjf' +
  'ay44tfiqztzu36wi' +
  '0nq9gkllmllmlkjf' +
  // Han and full-width
  '9xzngfeaard02bo2' +
  'qdfgt5wtc3f8vpag' +
  '92rxp2b42886540r' +
  '8e3kexxdyeeq5vzy' +
  'jnfyj2x9orodbn4l' +
  // kana
  'ml373eg8b8u3esfc' +
  'ppy12333333321yp' +
  'ppy12333333321yp' +
  'go8alz2px12321yp' +
  '8caw4d1rtl0rkg5u' +
  // Hangul
  'xnmcxqfp3c7431yp' +
  '6ko02233333321yp' +
  '4fmjw022333321yp' +
  'eub5cqy1233321yp' +
  'iq6ch854333321yp' +
  // surrogates (emoji)
  'l4tecr4oc69svbh0' +
  'j985prm9nhedcb6w' +
  '5x6accdddddccb6w' +
  '1sbcdddddddccb6w' +
  'ui4ixynksaphec6w' +
  // symbols, controls
  'ere0mqqpxuutqpgy' +
  '4et9mqssttttsspk' +
  'saptmqssttttsspk' +
  'n6prstttttttsspk' +
  '4ox0hmk9c0wutspk'

/** Fiftieths of a token for each character of a run beyond the sixteenth, per class. */
export const tailWeights: readonly number[] = [1, 5, 5, 1, 19, 1, 92, 1, 41, 28, 35, 45, 1]
