/**
 * Text that others sent, safe to print: control characters, text direction overrides and line separators become
 * visible escapes, so that the text cannot control a terminal or forge a log line.
 */

/** C0, DEL, C1, line and paragraph separator, marks and overrides of text direction, lone surrogates. */
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The text without unprintable characters; of a text over `longest` characters, the beginning and "…". */
export const printable = (text: string, longest = 1_000): string => {
  const kept = text.length > longest ? text.slice(0, longest) : text
  const shown = kept.replace(UNPRINTABLE, escaped)
  return kept === text ? shown : `${shown}…`
}
