import { isCommon, isUnspaced, piecesOf, stemOf } from './words.ts'

/** Pairs of characters that are grammar, or ask: what else they touch says more. */
const grammar = /^\p{Script=Hiragana}+$|[什么哪谁怎吗呢誰何]/u

/** A verb and who does it, in a question in French. */
const inverted = /\p{L}-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|ce)$/u

/** Whether a word of a question, by its stem, says what it is about. */
export const isWord = (stem: string): boolean =>
  isUnspaced(stem) ? !grammar.test(stem) : /\p{L}{3}/u.test(stem) && !everyday.has(stem) && !inverted.test(stem)

/** Letters at its beginning by which a longer word is known as well: `indent` and `indentation`, `Vertrag` and `Vertragspartner` are of the same. */
const root = 6

/** What a sentence is about, as stems: its words, the beginnings of long ones, and whatever has a digit. */
export const stemsIn = (text: string): ReadonlySet<string> =>
  new Set(
    piecesOf(text).flatMap((word) => {
      const stem = stemOf(word)
      if (isCommon(word) || !(isWord(stem) || /\d/.test(word))) return []
      return stem.length < root || isUnspaced(stem) || /\d/.test(stem) ? [stem] : [stem, `${stem.slice(0, root)}…`]
    }),
  )

/** Stems of words of talk about any work: alone they ask for nothing that was said. And of other languages, what every question has. */
const everyday = new Set(
  [
    'add again all also alway another any anyth back befor better both chang check class cod comment complet continu correct creat delet don els error ever everyth exactly explain fil fin find first fix funct get giv go going good got great happen help her issu just keep know last let lik lin look mak mean method mor mov much need new next nic not noth now okay old one only open other pass pleas problem put read ready really remov right run said sam say see set should show someth start still stop sur tak tell test thank thing think try two updat use used using want wait work writ wrong yes yet',
    'aber auch auf aus bei bin bis das dass dein deine dem den der des die dir doch ein eine einem einen einer euch für habe haben hast hat ich ihr ihre ist kann kannst mal man mein meine meinem meinen meiner mich mir mit nach nicht noch nun nur oder schon sein sich sie sind soll sollen und uns unser unsere unserem unseren vom von vor wann war warum was welche welchem welchen welcher welches wen wer werden wie wieder will wir wird wurde zum zur über',
    'aux avec ces cette combien comment dans des donc elle est les leur lui mais mes moi mon nos notre nous ont par pas plus pour pourquoi quand que quel quelle quelles quels qui quoi sa ses son sont sur tes toi ton tu une vos votre vous à été être où',
    'al algo como con cuando cuál cuándo cuánta cuánto cuántos cómo del desde donde dónde ella ellos eran eres está están esta este esto estoy hay las los más mis muy nos nuestra nuestro para pero por porque que quién qué ser sin sobre son soy sus también tengo tiene tus una uno unos',
  ].flatMap((words) => words.split(' ')),
)
