/** Checks that a text is one mail address and contains no header or second address. Pure. */

/** RFC 5321: the most characters of an address, and of the part before its @. */
const ADDRESS_LENGTH = 254
const LOCAL_LENGTH = 64

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
const FORM = new RegExp(
  `^([a-z0-9!#$%&'*+/=?^_\`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_\`{|}~-]+)*)@${LABEL}(?:\\.${LABEL})+$`,
  "i"
)

export const isEmail = (text: string): boolean => {
  const match = FORM.exec(text)
  return match !== null && text.length <= ADDRESS_LENGTH && match[1]!.length <= LOCAL_LENGTH
}
