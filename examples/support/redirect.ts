// Loaded before a program: what it would send to a provider's cloud goes to the local provider, so that programs stay as they are pasted.
const local = process.env['OPENAI_BASE_URL'] ?? ''
const bare = globalThis.fetch

globalThis.fetch = (input, init) => {
  const url = new URL(
    typeof input === 'string' || input instanceof URL ? input : input.url,
  )
  if (url.href.startsWith(local)) return bare(input, init)
  // Bedrock names the model in the address and has no path of its own for messages.
  const path = url.pathname.replace(
    /^\/model\/[^/]+\/invoke$/,
    '/model/messages',
  )
  const body =
    path === url.pathname
      ? init?.body
      : JSON.stringify({ model: 'claude', ...JSON.parse(String(init?.body)) })
  return bare(new URL(`.${path}`, `${local}/`), { ...init, body: body ?? null })
}
