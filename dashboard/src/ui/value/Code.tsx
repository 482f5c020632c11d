/** A block of text in a fixed-width font, with a button that copies it. A long one is cut until the viewer wants it all. */
import { Button } from "@mantine/core"
import { useState } from "react"
import { count } from "../../words/format.ts"
import { visible } from "../../words/visible.ts"
import classes from "./Code.module.css"
import { Copy } from "./Copy.tsx"

/** Longer texts make the page slow to read and to draw. */
const SHOWN_CHARACTERS = 4_000

interface CodeProps {
  /** Names the block for screen readers, and what is copied: "the request body". */
  readonly what: string
  readonly children: string
}

export const Code = ({ what, children }: CodeProps) => {
  const [whole, setWhole] = useState(false)
  const cut = !whole && children.length > SHOWN_CHARACTERS
  return (
    <figure className={classes["block"]} aria-label={what}>
      <div className={classes["copy"]}>
        <Copy value={children} what={what} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever uses the keyboard scrolls it. */}
      <pre className={classes["text"]} tabIndex={0}>
        {visible(cut ? children.slice(0, SHOWN_CHARACTERS) : children)}
        {cut && "…"}
      </pre>
      {cut && (
        <Button size="xs" variant="default" onClick={() => setWhole(true)}>
          Show all {count(children.length)} characters
        </Button>
      )}
    </figure>
  )
}

/** Indents JSON; other text stays as it is. */
export const readableJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
