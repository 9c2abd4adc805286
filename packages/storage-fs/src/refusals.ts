const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/** Nothing is there. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error))

/** No room is left on the disk, or none for this user. */
export const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'Unknown system error -122'].includes(codeOf(error))
