/** On a model that compacts by itself. A property, so that it is seen through the proxies that the SDK puts around models of an earlier version. */
export const compacting: unique symbol = Symbol.for('precis.compacting')

/** Whether what goes to this model is compacted there: of a history that was compacted before, nothing could be looked up. */
export const compactsItself = (model: unknown): boolean => (Object(model) as { readonly [compacting]?: unknown })[compacting] === true
