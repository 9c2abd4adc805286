import { type Attachment, type MediaPart, readAttachment, type TextPart } from '@precis/core'

/** An attachment as planning sees it: a text file is its text. A file of which nothing is known is a document. */
export function readFile(file: Attachment): TextPart | MediaPart {
  const read = readAttachment(file)
  return read.type === 'media' && read.mediaType === 'application/octet-stream' ? readAttachment({ ...file, mediaType: 'application/pdf' }) : read
}
