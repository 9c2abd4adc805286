import { builtInEstimator } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { differences } from './differences.ts'

// Reference: o200k_base, counted once and written down. These texts have few spaces, or none, and spend more tokens on a character than Latin ones.
describe('the built-in estimator, on a text without spaces', () => {
  it.each([
    ['Thai', 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผลและมโนธรรมและควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ', 64],
    ['Thai, clause by clause', 'มนุษย์ทั้งหลายเกิดมามีอิสระ และเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ', 63],
    ['Khmer', 'មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាពក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិមនុស្សមានវិចារណញ្ញាណនិងសតិសម្បជញ្ញៈ', 67],
    ['Burmese', 'လူတိုင်းသည်တူညီလွတ်လပ်သောဂုဏ်သိက္ခာဖြင့်လည်းကောင်းတူညီလွတ်လပ်သောအခွင့်အရေးများဖြင့်လည်းကောင်းမွေးဖွားလာသူများဖြစ်သည်။', 65],
    ['Lao', 'ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີສິດທິເສລີພາບແລະຄວາມສະເໝີພາບເທົ່າທຽມກັນ', 122],
    ['Tibetan', 'འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌། ཐོབ་ཐངགི་རང་དབང་འདྲ་མཉམ་དུ་ཡོད་ལ།', 138],
    ['Amharic', 'የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው። የተፈጥሮ ማስተዋልና ሕሊና ስላለው አንዱ ሌላውን በወንድማማችነት መንፈስ መመልከት ይገባዋል።', 187],
    ['Sinhala', 'සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත. ගරුත්වයෙන් හා අයිතිවාසිකම්වලින් සමාන වෙති.', 41],
    ['Arabic with vowels', 'بِسْمِ اللَّهِ الرَّحْمَٰنِ الرَّحِيمِ الْحَمْدُ لِلَّهِ رَبِّ الْعَالَمِينَ', 43],
    [
      'Vietnamese',
      'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi con người đều được tạo hoá ban cho lý trí và lương tâm.',
      39,
    ],
    [
      'DNA, sixty letters a line',
      'ACGTTGCAATCGGATTACAGGCATCGATTTGACCATGGCATTACGATCAGGTCATTACGA\nTTGACATGCCGATAGCATTAGGCATCGTTAACGGATCATCGGATATTCGCATGACTTGAC',
      65,
    ],
    ['braille', '⠓⠑⠇⠇⠕⠺⠕⠗⠇⠙⠋⠕⠗⠑⠧⠑⠗⠁⠝⠙⠁⠙⠁⠽', 72],
    ['a rule of vitest', '⎯'.repeat(40), 120],
  ])('is of the size of %s', (_, text, exact) => {
    const estimate = builtInEstimator.count(text)
    expect(estimate).toBeGreaterThan(exact * 0.6)
    expect(estimate).toBeLessThan(exact * 1.5)
    // A longer one is no cheaper.
    expect(builtInEstimator.count(text.repeat(20))).toBeGreaterThan(exact * 20 * 0.6)
  })
  it('no run of characters weighs less than nothing', () => {
    for (const row of differences) {
      let weight = 0
      for (const more of row) {
        weight += more
        expect(weight).toBeGreaterThanOrEqual(0)
      }
    }
  })
})
