/** Marks a model that compacts what it is sent. A property, as the SDK puts proxies around models of an earlier version: those show properties. */
export const compacting: unique symbol = Symbol.for('precis.compacting')

/** Whether this model compacts what it is sent. Then it must get the whole history: of one that was compacted before, it could look nothing up. */
export const compactsItself = (model: unknown): boolean => (Object(model) as { readonly [compacting]?: unknown })[compacting] === true
