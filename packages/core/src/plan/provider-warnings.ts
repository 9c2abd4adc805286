import type { ProviderSide } from './provider-side.ts'

/** What a receipt says where the provider acts by itself. */
export const providerSideWarnings: Readonly<Record<ProviderSide, string>> = {
  keeps:
    'the provider keeps this conversation (previousResponseId or conversation): a request carries only what is new, so nothing is compacted here. Send the whole history without these ids, or let the provider compact.',
  compacts:
    'the provider compacts this conversation itself (contextManagement): nothing is compacted here unless a request is refused. Leave that setting out to have it done here.',
}
