/**
 * Text that somebody else wrote: payloads, responses, errors, descriptions. It is shown as text, never as HTML.
 * Characters that would not be seen, or that would reorder what is seen, are shown by their code, such as ⟨U+202E⟩.
 */
import { visible } from "../../words/visible.ts"

export const PlainText = ({ children }: { readonly children: string }) => (
  <span dir="auto">{visible(children)}</span>
)
