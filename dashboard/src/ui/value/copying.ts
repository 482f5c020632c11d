/** What a viewer copies from a page has plain digits: "108412087" where the page shows "108 412 087". */
import { plainDigits } from "../../words/format.ts"

export const copyPlainDigits = (): void =>
  document.addEventListener("copy", (event) => {
    const text = document.getSelection()?.toString() ?? ""
    const plain = plainDigits(text)
    if (plain === text || event.clipboardData === null) return
    event.clipboardData.setData("text/plain", plain)
    event.preventDefault()
  })

/** Puts a text on the clipboard. Pages without TLS have none, but on the machine itself. */
export const copyText = (text: string): void => {
  navigator.clipboard?.writeText(text).catch(() => {})
}
