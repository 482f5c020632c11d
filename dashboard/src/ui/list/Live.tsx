/** Refreshes a list every few seconds while the viewer wants it, and says why if it does not. */
import { Button, Switch } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { PAGE_ROWS } from "../../api/list.ts"
import { fewLeft, LIVE_REFRESH_MS, liveRefresh, refreshInterval, useRequestsLeft } from "../../api/refresh.ts"

export interface Live {
  readonly on: boolean
  readonly set: (on: boolean) => void
}

export const useLive = (initially = false): Live => {
  const [on, set] = useState(initially)
  return { on, set }
}

/** For `useList`. */
export const refreshOf = ({ on }: Live) => (on ? liveRefresh : false)

interface Pages {
  readonly pages: ReadonlyArray<unknown>
  readonly pageParams: ReadonlyArray<unknown>
}

/** Forgets all pages but the first one, and reads it again. */
export const useToNewest = (queryKey: ReadonlyArray<unknown>) => {
  const queries = useQueryClient()
  return () => {
    window.scrollTo(0, 0)
    queries.setQueryData<Pages>(
      queryKey,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) }
    )
    queries.invalidateQueries({ queryKey })
  }
}

/** How often the list refreshes itself, or why it does not. `rows` are loaded. */
export const useLiveState = (live: Live, rows: number): string => {
  const left = useRequestsLeft()
  if (!live.on) return ""
  if (rows > PAGE_ROWS) return "paused: older rows are loaded"
  if (left !== undefined && fewLeft(left)) return "paused: this key has few requests left"
  return refreshInterval(left, LIVE_REFRESH_MS) > LIVE_REFRESH_MS
    ? "every minute: half of this key's requests are used"
    : "every 3 seconds"
}

interface LiveSwitchProps {
  readonly live: Live
  /** The query of the list, and how many rows of it are loaded. */
  readonly queryKey: ReadonlyArray<unknown>
  readonly rows: number
}

export const LiveSwitch = ({ live, queryKey, rows }: LiveSwitchProps) => {
  const toNewest = useToNewest(queryKey)
  const state = useLiveState(live, rows)
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
