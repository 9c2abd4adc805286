/** How somebody says that they have changed their mind, or made a mistake, in some languages. */
const cues = [
  /(?<!\p{L})(?:actually|after all|better|chang(?:ed?|ing) my mind|change of plans?|correct(?:ion|ed)?|forget|h+m+|i (?:meant?|mistyped)|instead|make (?:it|that)|mistake|my bad|nah|never ?mind|no(?: longer|pe)?|not|oops|on reflection|rather|scrap|scratch|second thoughts?|should (?:be|have been)|sorry|typo|wait|wrong)(?!\p{L})/iu,
  /(?<!\p{L})(?:ach|besser|doch|falsch|geirrt|halt|ich korrigiere|ich mein(?:te?)?|korrektur|lieber|moment|nein|nee|nicht|quatsch|sondern|stattdessen|vergiss|vertan|vielmehr)(?!\p{L})/iu,
  /(?<!\p{L})(?:attends|désolée?|en fait|erreur|finalement|je corrige|mieux|non|oublie[zr]?|pardon|plutôt|tout compte fait|trompée?)(?!\p{L})/iu,
  /(?<!\p{L})(?:al final|corrección|corrijo|en realidad|espera|me equivo(?:co|qué)|mejor|olvida|perdón|perdona|quise decir|anzi|correggo|correzione|invece|meglio|sbagliat[oaie]|scusa|aliás|correc?ção|desculpa|enganei|melhor|na verdade|não|liever|toch)(?!\p{L})/iu,
  /(?<!\p{L})(?:вернее|извини|исправ\p{L}*|лучше|нет|ошиб\p{L}*|передумал\p{L}*|поправ(?:ка|ляю\p{L}*)|точнее|не [^.!?]{1,60}, а)(?!\p{L})/iu,
  /(?<!\p{L})(?:jednak|pomyłk[aię]|poprawka|przepraszam|zamiast|aslında|düzelt\p{L}*|hayır|pardon|vazgeçtim|yanlış\p{L}*)(?!\p{L})/iu,
  /(?<![\p{L}\p{M}])(?:لا[،,]|عفوا|[أا]قصد|تصحيح|[أا]خط[أا]ت|آسف|بل |بدلا|नहीं|मा\u092b\u093c?\s?(?:कीजिए|करें|करना|करो)|क्षमा|\u0917\u093c?लती|सुधार|बल्कि|मेरा मतलब)/u,
  /いや|やっぱ|すみません|ごめん|違[いう]|間違|訂正|じゃなく|ではなく|変更|にして|不[是对對]|错了|錯了|改成|改为|还是|還是|抱歉|算了|更正|아니|아뇨|미안|정정|말고|바꿔|바꾸|변경해/u,
]

/** Composed: some write a letter and its mark apart. */
export const takesBack = (text: string): boolean => {
  const composed = text.normalize()
  return cues.some((cue) => cue.test(composed))
}
