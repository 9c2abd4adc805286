import { type Attachment, type MediaPart, readAttachment } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { mediaTokens } from '../../src/budget/attachment-cost.ts'
import { type Calibration, calibrate, calibrateRefused, uncalibrated } from '../../src/budget/calibrate.ts'
import { seededCalibration } from '../../src/budget/learned-window.ts'
import { answerRefusal, type Overflow, type RefusedRequest } from '../../src/budget/refusal.ts'

const mediaType = 'application/pdf'
const pagesOf = (data: unknown): number | undefined => (readAttachment({ mediaType, data }) as MediaPart).pages
const page = (at: number): string => `${at + 3} 0 obj << /Type /Page /Parent 2 0 R >> endobj\n`
const pdf = (pages: number): string => `%PDF-1.4\n${Array.from({ length: pages }, (_, at) => page(at)).join('')}<< /Type /Pages /Count ${pages} >>\n%%EOF`

describe('pages of a document', () => {
  const bytes = Buffer.from(pdf(45))
  const rows: readonly (readonly [string, Attachment['data'], number])[] = [
    ['bytes', new Uint8Array(bytes), 45],
    ['a buffer', bytes, 45],
    ['an array buffer', new Uint8Array(bytes).buffer, 45],
    ['base64', bytes.toString('base64'), 45],
    ['a data URL', `data:application/pdf;base64,${bytes.toString('base64')}`, 45],
    ['without blanks', Buffer.from('%PDF-1.4 <</Type/Pages/Kids[3 0 R]/Count 2>> <</Type/Page/Parent 2 0 R>> <</Type/Page/Parent 2 0 R>>'), 2],
    ['a page tree, its pages compressed', Buffer.from('%PDF-1.7 <</Type /Pages /Kids [3 0 R] /Count 31>>'), 31],
    ['made for the web, all else compressed', Buffer.from('%PDF-1.6 <</Linearized 1/L 99/O 12/E 45/N 18/T 90>> <</Type/ObjStm/N 100/First 800>>'), 18],
    ['nothing to see', Buffer.from('%PDF-1.7 \u0000\u0001'), 3],
    ['nothing to see in five megabytes', Buffer.alloc(5_000_000), 25],
    ['more than anybody reads', Buffer.from('%PDF-1.7 <</Type /Pages /Count 99999999>>'), 1_000],
    ['base64 of another alphabet', `_-_-${bytes.toString('base64url')}`, 3],
    ['a view that is no list', new DataView(new ArrayBuffer(8)), 3],
  ]
  it.each(rows)('%s', (_, data, pages) => {
    expect(pagesOf(data)).toBe(pages)
  })
  it.each(['https://x.example/a.pdf', 'file-abc', undefined, { fileId: 'a' }])('elsewhere nobody knows: %o', (data) => {
    expect(pagesOf(data)).toBeUndefined()
    expect(mediaTokens(readAttachment({ mediaType, data }) as MediaPart)).toBe(6_000)
  })
  it('are 2,000 tokens each, or a third of what the policy says', () => {
    expect(mediaTokens({ mediaType, pages: 45 })).toBe(90_000)
    expect(mediaTokens({ mediaType, pages: 45 }, { image: 1, document: 774, recording: 1, other: 1 })).toBe(45 * 258)
  })
  it.each(['bytes', 'base64'])('of 50 MB are counted in a few milliseconds, once: %s', (kind) => {
    const large = Buffer.alloc(50_000_000, 'x /Type /Pag ')
    large.write('<< /Type /Pages /Kids [3 0 R] /Count 412 >>', 49_900_000)
    const read = readAttachment({ mediaType, data: kind === 'bytes' ? large : large.toString('base64') }) as MediaPart
    const timed = (): number => {
      const began = performance.now()
      expect(read.pages).toBe(412)
      return performance.now() - began
    }
    expect(timed()).toBeLessThan(50)
    expect(timed()).toBeLessThan(1)
  })
})

const known: Calibration = { factor: 1.1, overhead: 500, last: { estimate: 20_000, actual: 22_500, media: 0 } }
/** What a prompt is expected to be billed, of so many estimated Tokens of text and of attachments. */
const expected = ({ factor, overhead, attached = 1 }: Calibration, text: number, media: number): number => (text + media * attached) * factor + overhead

describe('what attachments cost beside their estimate', () => {
  it('is learned of a first prompt, and leaves with them', () => {
    const learned = calibrate(uncalibrated, 6_100, 120_100, 6_000)
    expect(learned.attached).toBeCloseTo(20, 5)
    expect(expected(learned, 200, 12_000)).toBeCloseTo(240_200, 0)
    expect(expected(learned, 300, 0)).toBe(300)
  })
  it.each([0.13, 1.4, 12])('whatever was known of the text stays: %d times', (times) => {
    const actual = expected(known, 20_300, 60_000 * times)
    const learned = calibrate(known, 80_300, actual, 60_000)
    expect(learned).toMatchObject({ factor: known.factor, overhead: known.overhead })
    expect(learned.attached).toBeCloseTo(times, 3)
    expect(expected(learned, 20_300, 60_000)).toBeCloseTo(actual, 0)
    expect(calibrateRefused(known, 80_300, actual, 60_000)).toEqual(learned)
  })
  it('is not what much new text accounts for', () => {
    const learned = calibrate(uncalibrated, 21_600, 28_000, 1_600)
    expect(learned.attached).toBeUndefined()
    expect(expected(learned, 20_000, 1_600)).toBeGreaterThanOrEqual(27_999)
  })
  it('nor where the text alone was taken for more: what is carried beside it is no more than the prompt', () => {
    const learned = calibrate({ ...known, overhead: 200_000 }, 21_700, 3_000, 1_600)
    expect(learned.overhead).toBeLessThanOrEqual(3_000)
  })
  it('follows a document that another one took the place of', () => {
    const long = calibrate(uncalibrated, 6_100, 120_100, 6_000)
    const short = calibrate(long, 6_200 + 114_000, 10_200, 6_000)
    expect(expected(short, 200, 6_000)).toBeCloseTo(10_200, 0)
    expect(short.overhead).toBe(0)
  })
  it('is of these documents: another conversation does not begin with it', () => {
    expect(seededCalibration(uncalibrated, calibrate(uncalibrated, 6_100, 120_100, 6_000)).attached).toBeUndefined()
  })
})

describe('a refusal of attachments', () => {
  const overflow: Overflow = { kind: 'overflow', unit: 'tokens' }
  const refused = (more: Partial<RefusedRequest> = {}): RefusedRequest => ({
    model: 'm',
    at: 0,
    estimate: 18_200,
    total: 18_200,
    media: 18_000,
    attempt: 1,
    published: 184_000,
    holds: { media: 0, bytes: 0 },
    reserve: () => 16_000,
    ...more,
  })
  it('is believed whatever it states', () => {
    const { calibration } = answerRefusal(uncalibrated, { ...overflow, limit: 200_000, input: 270_200 }, refused())
    expect(calibration.attached).toBeCloseTo(15, 5)
    expect(answerRefusal(uncalibrated, { ...overflow, limit: 200_000, input: 270_200 }, refused({ media: 0 })).calibration.factor).toBe(1)
  })
  it('without a number says that they fill the published window, and nothing of the window', () => {
    const { calibration, ceilings } = answerRefusal(uncalibrated, overflow, refused())
    expect(expected(calibration, 200, 18_000)).toBeCloseTo(184_000, 0)
    expect(calibration.suspectedWindow).toBeUndefined()
    expect(ceilings).toEqual([165_600])
  })
  it('nothing of them where no window is published, nor where the text fills most of it', () => {
    expect(answerRefusal(uncalibrated, overflow, refused({ published: Infinity })).calibration.attached).toBeUndefined()
    const long = refused({ estimate: 151_600, total: 151_600, media: 1_600 })
    expect(answerRefusal(uncalibrated, overflow, long).calibration.attached).toBeUndefined()
  })
})
