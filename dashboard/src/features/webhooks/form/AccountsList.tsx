/** A list of accounts that is pasted or read from a file. It may have 10,000. */
import { ActionIcon, Button, FileButton, TextInput } from "@mantine/core"
import { IconAlertCircle, IconCheck, IconSearch, IconUpload, IconX } from "@tabler/icons-react"
import { useVirtualizer } from "@tanstack/react-virtual"
import { useMemo, useRef, useState } from "react"
import type { Fault } from "../../../api/call.ts"
import { count, cut, plural } from "../../../words/format.ts"
import { visible } from "../../../words/visible.ts"
import classes from "./AccountsField.module.css"
import { type Pasted, paste, type Refused } from "./accounts.ts"
import { FaultLine } from "./FormSection.tsx"
import form from "./form.module.css"
import { useIsNarrow } from "./useIsNarrow.ts"
import { ACCOUNTS_MAX } from "./values.ts"

/** The height of a row of the list in pixels, as in the CSS. */
const ROW_PIXELS = 30
/** Rows of the list that are seen without scrolling. */
const SEEN = 6
/** Refused texts that are named. */
const NAMED = 3

/** Of long texts the ends tell them apart. */
const short = (text: string): string => visible(text.length > 20 ? cut(text, 6) : text)

interface RefusedProps {
  readonly refused: ReadonlyArray<Refused>
  readonly onAdd: (accounts: ReadonlyArray<string>) => void
}

const RefusedLine = ({ refused, onAdd }: RefusedProps) => {
  const accounts = refused.flatMap(({ account }) => (account === undefined ? [] : [account]))
  const more = refused.length - NAMED
  return (
    <p className={classes["refused"]}>
      <IconAlertCircle size={16} aria-hidden />
      <span>
        <b>{refused.length === 1 ? "1 was refused:" : `${count(refused.length)} were refused:`}</b>{" "}
        {refused.slice(0, NAMED).map(({ text, because }, at) => (
          <span key={text}>
            {at > 0 && ", "}
            <span className="mono" title={visible(text)}>
              {short(text)}
            </span>{" "}
            {because}
          </span>
        ))}
        {more > 0 && ` and ${count(more)} more`}.{" "}
        {accounts.length > 0 && (
          <button type="button" className={form["link"]} onClick={() => onAdd(accounts)}>
            {accounts.length === 1
              ? "Add its account"
              : `Add ${count(accounts.length)} accounts of X-addresses`}
          </button>
        )}
      </span>
    </p>
  )
}

const Result = ({ result, onAdd }: { readonly result: Pasted; readonly onAdd: RefusedProps["onAdd"] }) => (
  <div className={classes["result"]} role="status">
    {(result.added > 0 || result.present > 0) && (
      <p>
        <IconCheck size={16} className="good" aria-hidden />
        <span>
          {result.added > 0 ? `${count(result.added)} added` : "None added"}
          {result.present > 0 &&
            `, ${count(result.present)} ${result.present === 1 ? "was" : "were"} there already`}
        </span>
      </p>
    )}
    {result.over > 0 && (
      <p className={classes["refused"]}>
        <IconAlertCircle size={16} aria-hidden />
        <span>
          {count(result.over)} did not fit: a webhook has at most {count(ACCOUNTS_MAX)} accounts.
        </span>
      </p>
    )}
    {result.refused.length > 0 && <RefusedLine refused={result.refused} onAdd={onAdd} />}
  </div>
)

interface ListProps {
  readonly accounts: ReadonlyArray<string>
  readonly onRemove: (account: string) => void
}

const List = ({ accounts, onRemove }: ListProps) => {
  const box = useRef<HTMLElement>(null)
  const columns = useIsNarrow() ? 1 : 2
  const rows = Math.ceil(accounts.length / columns)
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PIXELS,
    overscan: SEEN
  })
  return (
    <section
      ref={box}
      className={classes["list"]}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever uses the keyboard scrolls it.
      tabIndex={0}
      aria-label="Accounts of the webhook"
    >
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div key={index} className={classes["row"]} style={{ transform: `translateY(${start}px)` }}>
            {accounts.slice(index * columns, (index + 1) * columns).map((account) => (
              <span key={account} className={classes["account"]}>
                <span className="mono">{account}</span>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Remove ${account}`}
                  onClick={() => onRemove(account)}
                >
                  <IconX size={14} aria-hidden />
                </ActionIcon>
              </span>
            ))}
          </div>
        ))}
      </div>
    </section>
  )
}

interface AccountsListProps {
  readonly accounts: ReadonlyArray<string>
  readonly onChange: (accounts: ReadonlyArray<string>) => void
  readonly faults: ReadonlyArray<Fault>
}

export const AccountsList = ({ accounts, onChange, faults }: AccountsListProps) => {
  const [text, setText] = useState("")
  const [result, setResult] = useState<Pasted>()
  const [search, setSearch] = useState("")
  const found = useMemo(
    () => (search === "" ? accounts : accounts.filter((account) => account.includes(search.trim()))),
    [accounts, search]
  )
  const add = (given: string, also: Partial<Pasted> = {}) => {
    const pasted = paste(accounts, given)
    setResult({ ...pasted, ...also })
    setText("")
    onChange(pasted.accounts)
  }
  return (
    <div>
      <div className={classes["paste"]}>
        <TextInput
          aria-label="Accounts to add"
          placeholder="Paste addresses, with any separators"
          spellCheck={false}
          autoComplete="off"
          value={text}
          error={faults.length > 0}
          onChange={(event) => setText(event.currentTarget.value)}
          // An input would join pasted lines to one word.
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text")
            if (!/\s|[,;]/.test(pasted.trim())) return
            event.preventDefault()
            add(`${text} ${pasted}`)
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return
            // Enter would send the whole form.
            event.preventDefault()
            if (text.trim() !== "") add(text)
          }}
        />
        <FileButton
          accept="text/*,.csv,.json"
          onChange={async (file) => file !== null && add(await file.text())}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
              File
            </Button>
          )}
        </FileButton>
        <Button variant="default" disabled={text.trim() === ""} onClick={() => add(text)}>
          Add
        </Button>
      </div>
      <FaultLine faults={faults} />
      {result && (
        <Result
          result={result}
          onAdd={(more) =>
            add(more.join(" "), {
              refused: result.refused.filter(({ account }) => account === undefined)
            })
          }
        />
      )}
      {accounts.length > 0 && (
        <>
          <div className={classes["head"]}>
            <span className={classes["sides"]}>
              <b>{plural(accounts.length, "account")}</b>{" "}
              <span className="note">of {count(ACCOUNTS_MAX)}</span>
            </span>
            <span className={classes["sides"]}>
              <TextInput
                aria-label="Find in the list"
                placeholder="Find in the list"
                leftSection={<IconSearch size={14} aria-hidden />}
                spellCheck={false}
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
                onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
              />
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                onClick={() => {
                  setResult(undefined)
                  setSearch("")
                  onChange([])
                }}
              >
                Remove all
              </Button>
            </span>
          </div>
          {found.length === 0 ? (
            <p className={classes["more"]}>No account has this in its address.</p>
          ) : (
            <List
              accounts={found}
              onRemove={(account) => onChange(accounts.filter((one) => one !== account))}
            />
          )}
          {found.length > 2 * SEEN && (
            <p className={classes["more"]}>and {count(found.length - 2 * SEEN)} more; the list scrolls</p>
          )}
        </>
      )}
    </div>
  )
}
