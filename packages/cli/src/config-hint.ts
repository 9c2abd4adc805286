/** What helps who named a configuration that cannot be read. */
export const starterHint = 'compactctl config init <file> writes one to start from.'
