import { TranscriptError } from './transcript-error.ts'

/** Looks at the first bytes of what is to be read as UTF-8. @throws TranscriptError for UTF-16, as older PowerShells write it, and for what is compressed. */
export function checkEncoding([first, second]: Uint8Array, name: string): void {
  if (first === 0x1f && second === 0x8b) throw new TranscriptError(`${name} is compressed with gzip.`, { hint: 'Unpack it first: gunzip.' })
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  // Without a mark: the first bracket of JSON, and its other half.
  if (isMarked || (first === 0 && isBracket(second)) || (second === 0 && isBracket(first)))
    throw new TranscriptError(`${name} is UTF-16; transcripts are read as UTF-8.`, {
      hint: 'Write it as UTF-8, in PowerShell with | Out-File -Encoding utf8 in place of >.',
    })
}

const isBracket = (byte: number | undefined): boolean => byte === 0x7b || byte === 0x5b
