import { isUnspaced } from './words.ts'

/** Whether a word of a question, by its stem, says what it is about. */
export const isWord = (stem: string): boolean => isUnspaced(stem) || (/\p{L}{3}/u.test(stem) && !everyday.has(stem))

/** Stems of words of talk about any work: alone they ask for nothing that was said. */
const everyday = new Set(
  'add again all also alway another any anyth back befor better both chang check class cod comment complet continu correct creat delet don els error ever everyth exactly explain fil fin find first fix funct get giv go going good got great happen help her issu just keep know last let lik lin look mak mean method mor mov much need new next nic not noth now okay old one only open other pass pleas problem put read ready really remov right run said sam say see set should show someth start still stop sur tak tell test thank thing think try two updat use used using want wait work writ wrong yes yet'.split(
    ' ',
  ),
)
