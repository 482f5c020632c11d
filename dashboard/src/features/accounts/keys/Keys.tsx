/** The account's API keys: who uses them, what they may do, and until when. */
import { Button } from "@mantine/core"
import { IconArrowDown, IconChevronRight, IconClock, IconPlus } from "@tabler/icons-react"
import { useState } from "react"
import { useAccount, useMay } from "../../../api/account.ts"
import type { ApiKey } from "../../../api/ledgerhook.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Page } from "../../../ui/page/Page.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Day, Time } from "../../../ui/value/Time.tsx"
import { count, plural } from "../../../words/format.ts"
import classes from "./Keys.module.css"
import { NewKey } from "./NewKey.tsx"
import { RevokeKey } from "./RevokeKey.tsx"
import { about, networksOf, things, wordOf } from "./rights.ts"
import { activeKeys, expiresSoon, headlineOf, statusOf } from "./state.ts"
import { useKeys } from "./useKeys.ts"

const Expiry = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const soon = expiresSoon(apiKey, useNow())
  if (apiKey.expires_at === null) return <span className="note">never</span>
  if (soon === undefined) return <Day at={apiKey.expires_at} />
  return (
    <span className={classes["soon"]}>
      <IconClock size={14} stroke={1.9} aria-hidden />
      {soon}
    </span>
  )
}

const Row = ({ apiKey, replace }: { readonly apiKey: ApiKey; readonly replace: (key: ApiKey) => void }) => {
  const mine = useAccount().key.id === apiKey.id
  const mayWrite = useMay("api_keys:write")
  const status = statusOf(apiKey, useNow())
  const { environment, key_hint, last_used_at, name, scopes } = apiKey
  return (
    <tr data-ended={status !== "active" || undefined}>
      <td>
        <strong>
          <PlainText>{name}</PlainText>
        </strong>
        <small>
          {networksOf(environment)}
          {mine && ", signed in here"}
        </small>
        <small className={classes["short"]}>
          {things
            .filter((thing) => wordOf(scopes, thing) !== "–")
            .map((thing) => `${about[thing].name}: ${wordOf(scopes, thing)}`)
            .join("; ")}
        </small>
        <small className={classes["narrow"]}>
          {last_used_at === null ? (
            "never used"
          ) : (
            <>
              used <Time at={last_used_at} />
            </>
          )}
          , expires <Expiry apiKey={apiKey} />
        </small>
      </td>
      <td className="mono" data-wide>
        {key_hint}
      </td>
      {things.map((thing) => {
        const word = wordOf(scopes, thing)
        return (
          <td key={thing} data-wide>
            {word === "all" ? (
              <strong>all</strong>
            ) : (
              <span className={word === "–" ? "note" : ""}>{word}</span>
            )}
          </td>
        )
      })}
      <td data-middle>
        {last_used_at === null ? <span className="note">never</span> : <Time at={last_used_at} />}
      </td>
      <td data-wide>{status === "active" ? <Expiry apiKey={apiKey} /> : status}</td>
      <td>
        {mayWrite && status === "active" && (
          <span className={classes["actions"]}>
            {expiresSoon(apiKey, Date.now()) !== undefined && (
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                onClick={() => replace(apiKey)}
                aria-label={`Replace ${name}`}
              >
                Replace
              </Button>
            )}
            <RevokeKey apiKey={apiKey} />
          </span>
        )}
      </td>
    </tr>
  )
}

interface ListProps {
  readonly keys: ReadonlyArray<ApiKey>
  readonly replace: (key: ApiKey) => void
}

const List = ({ keys, replace }: ListProps) => {
  const [all, setAll] = useState(false)
  const active = activeKeys(keys, useNow())
  const ended = keys.filter((key) => !active.includes(key))
  return (
    <div>
      <table className={classes["table"]} aria-label="API keys">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" data-wide>
              Ends with
            </th>
            {things.map((thing) => (
              <th key={thing} scope="col" data-wide>
                {about[thing].name}
              </th>
            ))}
            <th scope="col" data-middle aria-sort="descending">
              Last used <IconArrowDown size={12} aria-hidden />
            </th>
            <th scope="col" data-wide>
              Expires
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {(all ? [...active, ...ended] : active).map((key) => (
            <Row key={key.id} apiKey={key} replace={replace} />
          ))}
        </tbody>
      </table>
      {ended.length > 0 && (
        <button type="button" className={classes["more"]} aria-expanded={all} onClick={() => setAll(!all)}>
          <IconChevronRight size={14} aria-hidden />
          {count(ended.length)} revoked or expired
        </button>
      )}
    </div>
  )
}

export const Keys = () => {
  const [open, setOpen] = useState(false)
  const [replaced, setReplaced] = useState<ApiKey>()
  const [mayRead, mayWrite] = [useMay("api_keys:read"), useMay("api_keys:write")]
  const { limits } = useAccount()
  const keys = useKeys()
  const now = useNow()
  const active = activeKeys(keys.data ?? [], now)
  const ask = (key?: ApiKey) => {
    setReplaced(key)
    setOpen(true)
  }
  return (
    <Page
      title={headlineOf(active, now)}
      note={
        keys.data &&
        `${count(active.length)} of ${plural(limits.api_keys, "key")}; this session is signed in with one of them.`
      }
      actions={
        mayWrite && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => ask()}>
            New key
          </Button>
        )
      }
    >
      <NewKey opened={open} replaced={replaced} onClose={() => setOpen(false)} />
      {keys.isError && <FailureNotice failure={keys.error} onRetry={() => keys.refetch()} />}
      {!mayRead ? (
        <p>This key may not see API keys (scope api_keys:read).</p>
      ) : keys.data !== undefined ? (
        <List keys={keys.data} replace={ask} />
      ) : (
        keys.isPending && <Loading lines={6} height={20} />
      )}
    </Page>
  )
}
