/**
 * Tokens per run of like characters, fitted by bounded ridge regression to o200k_base counts of 600-character pieces of 19 kinds of text
 * (prose, TypeScript, Python, JSON logs, agent transcripts, Chinese, Japanese, Korean, Russian, Arabic, Latin languages, base64, hex, numbers, emoji, white space).
 * One row per context (after white space, digits, punctuation, letters, others) and character class; 16 run lengths a row,
 * two base-36 digits each, in fiftieths of a token. The error per class is printed by `npm run bench`.
 */
export const runWeights: readonly string[] = [
  // space
  '00100y14150i16141913130q140z1716',
  '0025262n1m1j2b1i002r112o1n1u291o',
  '042q1h1g2e1x251414001j170z0z0x00',
  '0f2a1y170v1v1z1i2z1u290q0t000s2h',
  '091k001k011i001j1z3d1z100r0x1m3h',
  // line break, tab
  '1o172j2l392y343f3s464l505f5t656f',
  '1r101o3r2l1v2h2n3i454l505e5t656f',
  '0u2j00191y2h2z3i3t474l505f5t656f',
  '0i00230d1h0y2221232a3c353l4r5n5d',
  '0s29232g200u1t2o3f414j4z5e5t656f',
  // lower-case letters
  '17191a1a1f1e1c1v262e2q3h394o4n82',
  '002b1e1f16191h0y0t14243n1a3r4w8q',
  '1d1m282t2k2c1m172b4855735p4z4x57',
  '110x2019191t1q1w1s222n3p0y4w7c3u',
  '0t0v0x0h1k4q153c3o1z201o2i3i4i4o',
  // capitals
  '190u1q1m2m2k0v2l2g1d4t1s2z3q3a7f',
  '262b312v5z574d5t5g546g7b7z878h8i',
  '1g2l3s4z5e4v5i6i6e6e6o747m818b8t',
  '221q1r1l1m1z1m2r2e3o1e336s878s93',
  '1k003z3m6u5l54565k636j737m858m8z',
  // digits
  '2e2a2e3m3o40505j596o5t66696h7f6r',
  '1k19182j2m2x463y435g50537d7q736y',
  '0s121h1x2d2u3b3s494q575o646k6z7a',
  '1s1s1k2t2j2s4c4p4f6d5o687b6y7b7x',
  '1c0m0t1o2a2t3b3s494q575o646k6x75',
  // punctuation
  '181718203t4b881w5m7272838q9d8k3t',
  '0q1a17241g4x4z7m8l7z9kajb4cgctcs',
  '121h182x5j344d657d8d96a0atblcbct',
  '1d1v2l3d46505u6o7i8c96a0atblcbct',
  '0x1r35312t1444145e7j8v9varbkcacr',
  // Latin beyond ASCII
  '1r00131t2e2w3e3w4d4v5c5u6b6r767h',
  '0w4z4u3b2y343h3x4e4v5c5u6b6r767h',
  '1i1k1p212h2x3f3w4e4v5c5u6b6r767h',
  '003s2p2f2m2z3f3w4e4v5c5u6b6s787k',
  '100z1g1y2g2x3f3w4e4v5c5u6b6r767h',
  // Cyrillic, Greek, Arabic and the like
  '100z1q242d212m2n382j3b2x4d4y5s5a',
  '2z1z1v272r3m3o404f4w5e5x6k7g7g7m',
  '0n121i1y2g2x3f3w4e4v5c5u6b6r767h',
  '360000000p201e205v4k4f4544768ycc',
  '2w2f21262i2y3f3w4e4v5c5u6b6r767h',
  // Han and full-width
  '253y4t6c5o3z69bf8lc8ehgdcbfig2i0',
  '1m1v161i374870apaxcwc7ebd2fnftg5',
  '05132q3j5462798997abbfchdieifeg1',
  '341e2d5t437wbpbydsg2gciyizlqllof',
  '0f0y29232i3g292e5y7lc5gehle4c49l',
  // kana
  '0i0z2y41405a5m6q5x718rbqb0aoczf7',
  '1l26303x4v5u6t7s8r9qapbocmdjedey',
  '1l26303x4v5u6t7s8r9qapbocmdjedey',
  '0c0w00365n7i7g818u9rapbocmdjedey',
  '243c3i5a5a5j6g836sb9b5cs98bkglfb',
  // Hangul
  '0t2c2u323v5h3s5d8c9kanbncmdjedey',
  '022i323y4w5u6t7s8r9qapbocmdjedey',
  '002b3t48505w6u7s8r9qapbocmdjedey',
  '1a0027485g626w7t8r9qapbocmdjedey',
  '0e00223a4n5r6s7s8r9qapbocmdjedey',
  // surrogates (emoji)
  '3h2h364g5o6b8b9va395dagygpgwi9j5',
  '1f1k2o2p5a6x8f9kb3cgdqezg7heigj8',
  '212u3w526a7i8ra0b9cidrezg7heigj8',
  '1x2l3s50697i8ra0b9cidrezg7heigj8',
  '3q44444i6b857o649sbydjewg6heigj8',
  // symbols, controls
  '2a1x37333l474t5e676x7n8c8y9j9v9p',
  '001a2z343m484w5k696y7n8c909oa9ap',
  '1o1u2f343m484w5k696y7n8c909oa9ap',
  '1j1l262t3h464v5k696y7n8c909oa9ap',
  '004k3d393m444k4p5x6t7l8b909oa9ap',
]

/** Tokens for each character of a run beyond the sixteenth, per class; same encoding. */
export const tailWeights = '010505010j012k01150s0z1901'
