const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/** Nothing is there. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error))

/** No room is left on the disk, or none for this user. */
export const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'Unknown system error -122'].includes(codeOf(error))

/** The code of our own error for a lock that somebody else holds, and went on holding. */
export const heldByAnother = 'PRECIS_HELD'
export const isHeld = (error: unknown): boolean => codeOf(error) === heldByAnother
