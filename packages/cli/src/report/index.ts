// A report in a browser: everything that reads a log and replays it, nothing that reads a file.
export { parseTranscripts, type Transcript } from '../transcripts/transcript.ts'
export { TranscriptError } from '../transcripts/transcript-error.ts'
export { type ReportData, type ReportOptions, reportData } from './data.ts'
