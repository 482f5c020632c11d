/** Refreshes a list every few seconds while the viewer wants it, and says why if it does not. */
import { Button, Switch } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { PAGE_ROWS } from "../api/list.ts"
import { fewLeft, LIVE_REFRESH_MS, liveRefresh, refreshInterval, useRequestsLeft } from "../api/refresh.ts"

export interface Live {
  readonly on: boolean
  readonly set: (on: boolean) => void
}

export const useLive = (): Live => {
  const [on, set] = useState(false)
  return { on, set }
}

/** For `useList`. */
export const refreshOf = ({ on }: Live) => (on ? liveRefresh : false)

interface LiveSwitchProps {
  readonly live: Live
  /** The query of the list, and how many rows of it are loaded. */
  readonly queryKey: ReadonlyArray<unknown>
  readonly rows: number
}

interface Pages {
  readonly pages: ReadonlyArray<unknown>
  readonly pageParams: ReadonlyArray<unknown>
}

export const LiveSwitch = ({ live, queryKey, rows }: LiveSwitchProps) => {
  const queries = useQueryClient()
  const left = useRequestsLeft()
  const toNewest = () => {
    window.scrollTo(0, 0)
    queries.setQueryData<Pages>(
      queryKey,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) }
    )
    queries.invalidateQueries({ queryKey })
  }
  const state = !live.on
    ? ""
    : rows > PAGE_ROWS
      ? "paused: older rows are loaded"
      : left !== undefined && fewLeft(left)
        ? "paused: this key has few requests left"
        : refreshInterval(left, LIVE_REFRESH_MS) > LIVE_REFRESH_MS
          ? "every minute: half of this key's requests are used"
          : "every 3 seconds"
  return (
    <div className="row">
      <Switch
        label="Live"
        checked={live.on}
        onChange={(event) => {
          live.set(event.currentTarget.checked)
          if (event.currentTarget.checked) toNewest()
        }}
      />
      <span className="quiet" role="status">
        {state}
      </span>
      {live.on && rows > PAGE_ROWS && (
        <Button size="xs" variant="default" onClick={toNewest}>
          Show the newest
        </Button>
      )}
    </div>
  )
}
