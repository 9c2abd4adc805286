import { redactedJson } from '../../privacy/redact-json.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { personalRules } from '../../privacy/rules.ts'
import { createRedactor } from '../redactor.ts'
import type { ArchiveOptions, ArchiveRedaction } from './archive.ts'

/** The text of a value as an archive stores it, redacted. @param given What the compactor redacts with; absent: the archive is used alone. */
export function archiveText(value: unknown, { redact, personalData }: ArchiveOptions, isRemote: boolean, given?: ArchiveRedaction): string {
  const own: Redactor | undefined = redact === false ? (text) => text : redact
  const secrets = (own && (given?.like?.(own) ?? own)) ?? given?.redact ?? createRedactor()
  const isKept = personalData === 'keep' || (personalData === undefined && !isRemote)
  const personal = isKept ? undefined : given === undefined || personalData === 'redact' ? createRedactor(personalRules) : given.personal
  return redactedJson(value, personal === undefined ? secrets : (text) => personal(secrets(text)))
}
