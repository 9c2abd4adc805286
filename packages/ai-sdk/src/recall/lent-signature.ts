import type { SdkMessage } from '@precis/wire/ai-sdk'
import type { ProviderMetadata, ReplyPart } from '../provider-call.ts'
import { isCall, isOurs, slot } from './reply-parts.ts'

/** Gemini signs the first call of a round, and refuses a step whose first call is not signed: where that is a look-up, the agent's first call is given its signature. */
export function createLoan(): <P extends ReplyPart>(part: P) => P {
  let signature: ProviderMetadata | undefined
  let called = false
  return (part) => {
    if (called || !isCall(part)) return part
    if (isOurs(part)) {
      signature ??= signatureOf(part)
      return part
    }
    called = true
    return signature === undefined || part.providerMetadata !== undefined ? part : { ...part, providerMetadata: { ...signature, [slot]: { lent: true } } }
  }
}

function signatureOf({ providerMetadata = {} }: ReplyPart): ProviderMetadata | undefined {
  const signed = Object.entries(providerMetadata).flatMap(([name, own]) =>
    own?.['thoughtSignature'] === undefined ? [] : [[name, { thoughtSignature: own['thoughtSignature'] }] as const],
  )
  return signed.length === 0 ? undefined : Object.fromEntries(signed)
}

type PromptPart = Exclude<SdkMessage['content'], string>[number]

/** The agent's call without the signature that it was lent: where its look-up is shown again, that has it. */
export function givenBack(part: PromptPart): PromptPart {
  if (part?.providerOptions?.[slot]?.['lent'] !== true) return part
  const { providerOptions: _lent, ...own } = part
  return own
}
