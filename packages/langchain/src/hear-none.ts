/** In place of `hear-all` where there is no `node:async_hooks`: in browsers, and in what is bundled as for them. Models that other middleware asks are not heard there. */
export function hearAll(): void {}
