/** Makes the characters visible that a viewer would not see, or that reorder what is seen. Pure. */

/**
 * Control characters without tab and newline, soft hyphen, zero-width and bidirectional characters, byte order mark,
 * line and paragraph separators, half surrogates.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

const codeOf = (character: string): string =>
  `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`

export const visible = (text: string): string => text.replace(HIDDEN, codeOf)
