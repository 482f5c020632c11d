/** Texts that others sent, as PostgreSQL can keep them: it takes no NUL. Pure. */

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** On one line, bounded, without anything that a terminal would obey: control characters are written as `\u001b`. */
export const lineOfText = (text: string, maxLength: number): string =>
  text
    .slice(0, maxLength)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => character.split("").map(escapedUnit).join(""))
    .slice(0, maxLength)

/** All of it but the NULs, which become U+FFFD. */
export const withoutNul = (text: string): string => text.replaceAll("\0", "\uFFFD")
