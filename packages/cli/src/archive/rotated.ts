import { type Rotation, rotateEncryption } from '@precis/core'
import { plain } from '../look/plain.ts'
import { many } from '../terminal/amounts.ts'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { existing, withArchive } from './open-archive.ts'

/** Encrypts with the current key of a configuration what is stored under its older ones. @throws TranscriptError where it encrypts nothing */
export function rotateKeys(config: string): Promise<Rotation> {
  return withArchive({ config }, async (open) => {
    const { encryption } = await existing(open)
    if (encryption === undefined) throw new TranscriptError(`${config} encrypts nothing. Add encryption: { keyId: k1, keyVariable: PRECIS_KEY }.`)
    return rotateEncryption(encryption.storage, encryption.keys)
  })
}

export function renderRotation({ written, failed }: Rotation): string {
  const fate = failed.length === 0 ? 'the older keys can go' : 'the older keys are still needed'
  return [`${many(written, 'text')} encrypted anew; ${fate}`, ...failed.map(({ key, reason }) => `failed: ${plain(key)}: ${plain(reason)}`)].join('\n')
}
