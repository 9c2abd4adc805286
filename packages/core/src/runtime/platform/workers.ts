/** In Cloudflare Workers, and in Vercel's edge functions, which are such, timers, calls and all that waits for them are gone with the request that began them: no other may wait for it. */
export const isWorker: boolean = 'WebSocketPair' in globalThis || 'EdgeRuntime' in globalThis
