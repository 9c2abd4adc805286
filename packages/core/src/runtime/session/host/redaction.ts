import { type RedactedReading, redactedReading } from '../../../privacy/redact-message.ts'
import { readingJson } from '../../../privacy/redact-value.ts'
import { type Redactor, redacting, redactorFrom } from '../../../privacy/redactor.ts'
import type { Clock } from '../../platform/clock.ts'
import { lacksSalt, withSalt } from '../../redactor.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { withheld } from '../../telemetry/emitter.ts'

/** What one compactor redacts with. Its tags are made with a salt of this process until the one that its storage holds for all is known. */
export interface Redaction {
  readonly redact: Redactor
  /** `redact`, with a word in place of a text that it fails for: nothing is stored unseen, and no run ends with it. */
  readonly withhold: Redactor
  /** For what leaves the machine; undefined: personal data is kept. */
  readonly personal: Redactor | undefined
  /** Messages as they may leave the process. Another one once the salt is known. */
  readonly redacted: () => RedactedReading
  /** A redactor of somebody's own, with the salt of this one. */
  readonly like: (redact: Redactor) => Redactor
  /**
   * Resolves when the salt is known, or cannot be: whoever is about to redact waits for it. Never rejects.
   * @param storage - The compactor's, as one call uses it: none of its answers is waited for without limit.
   */
  readonly ready: (storage: StorageDriver) => Promise<void>
}

/** Milliseconds until a storage that did not say is asked again. */
const pause = 60_000

/**
 * @param given - false: nothing is redacted.
 * @param shared - Whether other processes, or this one after a restart, may find the same storage.
 * @param failed - Is told what the redactor throws.
 */
export function createRedaction(
  given: Redactor | false,
  personal: Redactor | undefined,
  shared: boolean,
  clock: Clock,
  failed: (error: unknown) => void = () => {},
): Redaction {
  let salt: string | undefined
  const like = (one: Redactor): Redactor => (salt === undefined ? one : withSalt(one, salt))
  const made = () => {
    const redact: Redactor = given === false ? (text) => text : readingJson(like(given))
    const withhold = redactorFrom(function* (text) {
      try {
        return text && (yield* redacting(redact, text))
      } catch (error) {
        failed(error)
        return withheld
      }
    })
    return { redact, withhold, personal: like(personal ?? redact), reading: redactedReading(given === false ? undefined : withhold) }
  }
  let current = made()
  /** When the storage is asked, in milliseconds since 1970. */
  let next = shared && (lacksSalt(given) || lacksSalt(personal)) ? 0 : Infinity
  return {
    redact: redactorFrom((text) => redacting(current.redact, text)),
    withhold: (text) => current.withhold(text),
    personal: personal && ((text) => current.personal(text)),
    redacted: () => current.reading,
    like,
    async ready(storage) {
      if (clock.now() < next) return
      const { saltIn } = await import('./shared-salt.ts')
      const found = await saltIn(storage).catch(() => undefined)
      if (next === Infinity) return
      // Where there is none: tags of this process for now. That the storage did not answer is said where the state is read.
      next = found ? Infinity : clock.now() + pause
      salt = found || undefined
      current = made()
    },
  }
}
