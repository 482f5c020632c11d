/**
 * JSON as a block with a head: a title, what chooses what is shown, a button that copies. The lines of a field of the
 * payload can be marked. A long text is cut until the viewer wants it all.
 */
import { Button } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { count } from "../../words/format.ts"
import { type JsonLine, jsonParts } from "../../words/json.ts"
import { visible } from "../../words/visible.ts"
import { Copy } from "./Copy.tsx"
import classes from "./JsonPanel.module.css"

/** Longer texts make the page slow to read and to draw. */
const SHOWN_CHARACTERS = 4_000

/** Hashes are cut in the middle, where they say nothing to people. What is copied has them whole. */
const withShortHashes = (text: string): string =>
  text.replace(/\b[0-9A-F]{64}\b/g, (hash) => `${hash.slice(0, 10)}…${hash.slice(-8)}`)

/** An address has room on a line of its own, but not beside a list of fields. */
const withShortAddresses = (text: string): string =>
  text.replace(/"r[1-9A-HJ-NP-Za-km-z]{24,34}"/g, (quoted) => `${quoted.slice(0, 11)}…${quoted.slice(-9)}`)

const Parts = ({ text }: { readonly text: string }) =>
  jsonParts(withShortHashes(visible(text))).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
    <span key={at} data-is={part.is}>
      {part.text}
    </span>
  ))

interface LinesProps {
  readonly lines: ReadonlyArray<JsonLine>
  /** The field whose lines are marked. */
  readonly marked: string | undefined
  readonly onMark: (field: string | undefined) => void
  /** What a field's value means: "9 XRP". */
  readonly notes: Readonly<Record<string, string>>
}

/** A payload, line by line. */
export const JsonLines = ({ lines, marked, notes, onMark }: LinesProps) =>
  lines.map(({ field, text }, at) => (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list of fields does the same with the keyboard.
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity.
      key={at}
      className={classes["line"]}
      data-field={field}
      data-marked={field !== undefined && field === marked}
      onMouseEnter={() => onMark(field)}
      onMouseLeave={() => onMark(undefined)}
    >
      <Parts text={withShortAddresses(text)} />
      {field !== undefined && lines[at + 1]?.field !== field && notes[field] !== undefined && (
        <span className={classes["comment"]}> {visible(notes[field])}</span>
      )}
      {"\n"}
    </span>
  ))

const Cut = ({ text }: { readonly text: string }) => {
  const [whole, setWhole] = useState(false)
  const cut = !whole && text.length > SHOWN_CHARACTERS
  return (
    <>
      <Parts text={cut ? text.slice(0, SHOWN_CHARACTERS) : text} />
      {cut && "…"}
      {cut && (
        <Button size="xs" variant="default" onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </>
  )
}

interface JsonPanelProps {
  /** Names it for screen readers, and what is copied: "the event". */
  readonly what: string
  readonly title: string
  readonly text: string
  readonly actions?: ReactNode
  /** Instead of the button's text: the icon alone. */
  readonly small?: boolean
  /** What is shown instead of the text. */
  readonly children?: ReactNode
  /** Not JSON, but something with a layout of its own. */
  readonly isPlain?: boolean
}

export const JsonPanel = ({ what, title, text, actions, small, children, isPlain }: JsonPanelProps) => (
  <figure className={classes["panel"]} aria-label={what}>
    <div className={classes["head"]}>
      <b>{title}</b>
      {actions}
      <Copy value={text} what={what} look={small ? "icon" : "quiet"} />
    </div>
    {isPlain ? (
      <div className={classes["plain"]}>{children}</div>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever uses the keyboard scrolls it.
      <pre tabIndex={0}>{children ?? <Cut text={text} />}</pre>
    )}
  </figure>
)
