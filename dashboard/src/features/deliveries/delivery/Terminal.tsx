/** A request or a response as it went over the wire: the first line, the headers, the body. */
import { Button } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { readableJson } from "../../../ui/value/Code.tsx"
import { Copy } from "../../../ui/value/Copy.tsx"
import { count } from "../../../words/format.ts"
import { jsonParts } from "../../../words/json.ts"
import { visible } from "../../../words/visible.ts"
import classes from "./Terminal.module.css"

/** Longer bodies make the page slow to read and to draw. */
const SHOWN_CHARACTERS = 4_000

interface TerminalProps {
  /** Names it for screen readers, and what is copied: "the request". */
  readonly what: string
  readonly title: ReactNode
  /** "POST /hook HTTP/1.1"; undefined if it is not known. */
  readonly start: string | undefined
  readonly isBad?: boolean
  readonly headers: Readonly<Record<string, string>> | null
  readonly body: string | null
  /** Shows JSON as it is, not indented. */
  readonly raw?: boolean
  /** Beside the button that copies. */
  readonly actions?: ReactNode
}

const Body = ({ text }: { readonly text: string }) => {
  const [whole, setWhole] = useState(false)
  const cut = !whole && text.length > SHOWN_CHARACTERS
  const shown = visible(cut ? text.slice(0, SHOWN_CHARACTERS) : text)
  const isJson = /^\s*[[{]/.test(text)
  return (
    <>
      <code className={classes["body"]}>
        {isJson
          ? jsonParts(shown).map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
              <span key={at} data-is={part.is}>
                {part.text}
              </span>
            ))
          : shown}
        {cut && "…"}
      </code>
      {cut && (
        <Button size="xs" variant="default" onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </>
  )
}

export const Terminal = ({ what, title, start, isBad, headers, body, raw, actions }: TerminalProps) => {
  const lines = Object.entries(headers ?? {})
  const text = body === null || body === "" ? undefined : raw ? body : readableJson(body)
  const copied = [
    ...(start === undefined ? [] : [start]),
    ...lines.map(([name, value]) => `${name}: ${value}`),
    ...(text === undefined ? [] : ["", raw ? body : text])
  ].join("\n")
  return (
    <figure className={classes["terminal"]} aria-label={what}>
      <div className={classes["head"]}>
        <b>{title}</b>
        {actions}
        {text !== undefined && (
          <Copy value={raw ? (body ?? "") : text} what={`of ${what}`} label="Copy body" />
        )}
        <Copy value={copied} what={what} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever uses the keyboard scrolls it. */}
      <pre tabIndex={0}>
        {start !== undefined && (
          <strong className={isBad ? "bad" : undefined}>
            {visible(start)}
            {"\n"}
          </strong>
        )}
        {lines.map(([name, value]) => (
          <span key={name}>
            <span className={classes["name"]}>{visible(name)}: </span>
            {visible(value)}
            {"\n"}
          </span>
        ))}
        {text !== undefined && (start !== undefined || lines.length > 0) && "\n"}
        {text !== undefined && <Body text={text} />}
      </pre>
    </figure>
  )
}
