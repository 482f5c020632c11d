/** Texts that others sent, as PostgreSQL can store them: a text column takes no NUL. Pure. */

/** Every NUL becomes U+FFFD; the rest stays as it is. */
export const withoutNul = (text: string): string => text.replaceAll("\0", "\uFFFD")
