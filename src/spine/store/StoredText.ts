/** Makes texts from outside storable: a text column of PostgreSQL accepts no NUL. Pure. */

/** Replaces every NUL by U+FFFD. */
export const withoutNul = (text: string): string => text.replaceAll("\0", "\uFFFD")
