import { redactedJson } from '../../privacy/redact-json.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { personalRules } from '../../privacy/rules.ts'
import { createRedactor } from '../redactor.ts'
import type { StorageDriver } from './driver.ts'

/** What is redacted before it is written. */
export interface ArchiveOptions {
  /** Applied to every text before it is written. Default: what the compactor that is given the archive redacts with; the built-in secret rules where it is used alone. false: nothing is redacted. */
  readonly redact?: Redactor | false
  /** E-mail addresses and telephone numbers. Default: `redact` where the storage is remote (`StorageDriver.remote`), `keep` on this machine. */
  readonly personalData?: 'redact' | 'keep'
}

/** What a compactor redacts with: used where an archive has nothing of its own. */
export interface ArchiveRedaction {
  readonly redact: Redactor
  /** For archives on remote storages; absent: personal data is kept. */
  readonly personal?: Redactor | undefined
  /** A redactor of the archive's own, so that it names secrets as the compactor does. */
  readonly like?: (redact: Redactor) => Redactor
}

/** Where an archive writes, and how. */
export interface RecordPlace {
  readonly driver: StorageDriver
  readonly options: ArchiveOptions
}

/** The text of a value as an archive stores it, redacted. @param given What the compactor redacts with; absent: the archive is used alone. */
export function archiveText({ driver, options }: RecordPlace, value: unknown, given?: ArchiveRedaction): string {
  const { redact, personalData } = options
  const own: Redactor | undefined = redact === false ? (text) => text : redact
  const secrets = (own && (given?.like?.(own) ?? own)) ?? given?.redact ?? createRedactor()
  const isKept = personalData === 'keep' || (personalData === undefined && driver.remote !== true)
  const personal = isKept ? undefined : given === undefined || personalData === 'redact' ? createRedactor(personalRules) : given.personal
  return redactedJson(value, personal === undefined ? secrets : (text) => personal(secrets(text)))
}
