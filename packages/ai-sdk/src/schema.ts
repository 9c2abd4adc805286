/** The SDK knows schemas and (in version 5) their validators by these marks; made here so that nothing of the SDK is imported at run time. */
export const schemaMarks: Readonly<Record<symbol, true>> = { [Symbol.for('vercel.ai.schema')]: true, [Symbol.for('vercel.ai.validator')]: true }
