/** How somebody says that they have changed their mind, or made a mistake, in some languages. */
const cues = [
  /(?<!\p{L})(?:actually|after all|better|chang(?:ed?|ing) my mind|change of plans?|correct(?:ion|ed)?|forget|h+m+|i (?:meant?|mistyped)|instead|make (?:it|that)|mistake|my bad|nah|never ?mind|no(?: longer|pe)?|not|oops|on reflection|rather|scrap|scratch|second thoughts?|should (?:be|have been)|sorry|typo|wait|wrong)(?!\p{L})/iu,
  /(?<!\p{L})(?:ach|besser|doch|falsch|halt|ich mein(?:te?)?|korrektur|lieber|moment|nein|nee|nicht|quatsch|sondern|stattdessen|vergiss|vielmehr)(?!\p{L})/iu,
  /(?<!\p{L})(?:attends|désolée?|en fait|erreur|finalement|mieux|non|oublie[zr]?|pardon|plutôt|tout compte fait)(?!\p{L})/iu,
  /(?<!\p{L})(?:al final|en realidad|espera|me equivoqué|mejor|olvida|perdón|perdona|quise decir|anzi|invece|meglio|scusa|aliás|desculpa|melhor|na verdade|liever|toch)(?!\p{L})/iu,
  /(?<!\p{L})(?:вернее|извини|лучше|нет|ошиб\p{L}*|передумал\p{L}*|точнее)(?!\p{L})/iu,
  /いや|やっぱ|すみません|ごめん|違[いう]|間違|訂正|じゃなく|ではなく|変更|にして|不[是对對]|错了|錯了|改成|改为|还是|還是|抱歉|算了|更正|아니|미안|정정|말고/u,
]

export const takesBack = (text: string): boolean => cues.some((cue) => cue.test(text))
