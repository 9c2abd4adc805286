import { isCommon, isUnspaced, piecesOf, root, stemOf } from './words.ts'

/** Pairs of characters that are grammar, or ask: what else they touch says more. */
const grammar = /^\p{Script=Hiragana}+$|[什么哪谁怎吗呢誰何뭐였었했]/u

/** A verb and who does it, in a question in French. */
const inverted = /\p{L}-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|ce)$/u

/** Whether a word of a question, by its stem, says what it is about. */
export const isWord = (stem: string): boolean =>
  !everyday.has(stem) && (isUnspaced(stem) ? !grammar.test(stem) : /[\p{L}\p{M}]{3}/u.test(stem) && !inverted.test(stem))

/** Whether a word is known by its beginning too. */
const isLong = (stem: string): boolean => !(stem.length < root || isUnspaced(stem) || /\d/.test(stem))
/** What a long word begins with, marked as that. */
const beginningOf = (stem: string): string => `${stem.slice(0, root)}-`

/** What a sentence is about, as stems: its words, the beginnings of long ones, and whatever has a digit. */
export const stemsIn = (text: string): ReadonlySet<string> =>
  new Set(
    piecesOf(text).flatMap((word) => {
      const stem = stemOf(word)
      if (isCommon(word) || !(isWord(stem) || /\d/.test(word))) return []
      return isLong(stem) ? [stem, beginningOf(stem)] : [stem]
    }),
  )

/** Stems as one text that takes little room: of a long word it says only that it is one. */
export const packStems = (stems: ReadonlySet<string>): string =>
  [...stems].flatMap((stem) => (stem.endsWith('-') ? [] : isLong(stem) ? `${stem}-` : stem)).join(' ')

export function unpackStems(packed: string): ReadonlySet<string> {
  const stems = new Set<string>()
  for (const one of packed === '' ? [] : packed.split(' ')) {
    const stem = one.endsWith('-') ? one.slice(0, -1) : one
    stems.add(stem)
    if (stem !== one) stems.add(beginningOf(stem))
  }
  return stems
}

/** Words of talk about any work, by their stems: alone they ask for nothing that was said. And of other languages, what every question has. */
const everyday: ReadonlySet<string> = new Set(
  [
    'add again all also always another any anything back before better both change check class code comment complete continue correct create delete done else error ever everything exactly explain file fine find first fix function get give go going good got great happen help here issue just keep know last let like line look make mean method more move much need new next nice no not nothing now okay old one only open other pass please problem put read ready really remove right run said same say see set should show something start still stop sure take tell test thank thing think try two update use used using want wait work write wrong yes yet',
    'aber auch auf aus bei bin bis bitte das dass dein deine dem den der des die dir doch ein eine einem einen einer euch für habe haben hast hat heißen heißt hieß ich ihr ihre ist kann kannst lauten lautet lautete mal man mein meine meinem meinen meiner mich mir mit nach nennen nicht noch nochmal nun nur oder schon sein sich sie sind soll sollen und uns unser unsere unserem unseren vom von vor wann war waren warum was welche welchem welchen welcher welches wen wer werden wie wieder will wir wird wurde wurden zum zur über',
    'aux avec ces cette combien comment dans des donc elle est les leur lui mais mes moi mon nos notre nous ont par pas plus pour pourquoi quand que quel quelle quelles quels qui quoi sa ses son sont sur tes toi ton tu une vos votre vous à été être où',
    'al algo como con cuando cuál cuándo cuánta cuánto cuántos cómo del desde donde dónde ella ellos eran eres están está esta este esto estoy hay las los más mis muy nos nuestra nuestro para pero por porque que quién qué ser sin sobre son soy sus también tengo tiene tus una uno unos',
    'das dos ele ela eles essa esse está estão foi foram isso isto mais mas meu minha muito nas não nos nossa nosso onde pela pelo porquê quais qual quando quanta quantas quanto quantos quem são sem ser seu sua tem tenho têm uma umas você',
    'aan als bij deze dit een geen had heb heeft het hoe hoeveel ik jij jullie kan maar meer mijn niet nog onze ons ook voor waar waarom wanneer wat welk welke werd wie wij worden zijn',
    'być był była było czy dla gdzie ile jak jaka jaki jakie jaką jest jestem kiedy kto która które który mam mnie moja moje mój nas nasz nasza nie tak tego tym',
    'без был была были было вам вас все где для его есть еще или как какая какие каким какое каков какова какого какой какую когда который кто куда меня мне мой моя мы надо нам нас наш наша наше нашего нашей него нее нет них нужно она они оно откуда под почему при про сейчас сколько так там тебя тоже ты уже чего чей чем что чтобы чья эта эти это этот',
    'ama bana ben bir biz bizim bunu çok daha gibi hangi için kaç kadar kim mı mi mü mu nasıl ne neden nedir nerede neydi niye olan olarak şu var ve veya yok',
    'अब आप इस उस एक और कब कर कहाँ कहां का कितना कितनी कितने किया किस किसका किसकी की कृपया के कैसे कैसा को कौन कौनसा क्या क्यों गया जो तक तो था थी थे ने नहीं पर बताइए बताओ मुझे में मेरा मेरी मेरे यह ये वह वे से हम हमारा हमारी हमारे ही हूँ है हैं हो',
    'أين الذي التي إلى ألا أنا أنت أو أي أية بعد بين حتى ذلك على عن عند في قبل كان كانت كم كيف لا لدي لماذا لنا ليس ما ماذا متى مع من منذ نحن هذا هذه هل هنا هو هي',
    '你还记得 请问 告诉我 知道 我们的 是多少 是不是 有没有 教え',
    '은 는 이 가 을 를 에 의 로 와 과 도 무엇인가요 무엇입니까 어디인가요 어디입니까 언제인가요 얼마인가요 무슨 누구 누가 어디 어디서 언제 어떻게 어떤 어느 얼마 얼마나 입니다 입니까 습니다 습니까 인가요 인지 나요 까요 예요 에요 이에요 였죠 였지 였나요 었나요 있나요 있어요 있었죠 있습니다 했습니다 했나요 했죠 했어요 합니다 합니까 됩니다 하나요 해요 하는 하고 해서 하면 주세요 알려 알려줘 저의 제가 우리',
  ].flatMap((words) => piecesOf(words).map(stemOf)),
)
