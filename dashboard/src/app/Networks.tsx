/** The foot of the navigation: the newest ledger of each network, the zone of all times, light or dark. */
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { IconMoon, IconSun } from "@tabler/icons-react"
import { useMay } from "../api/account.ts"
import { useCoverage } from "../api/coverage.ts"
import { count, ZONE } from "../words/format.ts"
import classes from "./Shell.module.css"

/** A network whose servers announced nothing for this long has no beat. It closes a ledger every 3 to 4 seconds. */
const SILENT_MS = 60_000

const NewestLedgers = () => {
  const { data = [] } = useCoverage().data ?? {}
  return data
    .filter(({ head, ranges, watched }) => watched && (head !== null || ranges.length > 0))
    .map(({ catching_up, head, network, ranges }) => {
      const state =
        head === null || head.age_ms > SILENT_MS ? "silent" : catching_up === null ? "current" : "behind"
      return (
        <div key={network} className={classes["network"]}>
          <i className={classes["beat"]} data-state={state} />
          {network}
          {state !== "current" && `, ${state}`}
          <span>{count(ranges.at(-1)?.last.ledger_index ?? head!.ledger_index)}</span>
        </div>
      )
    })
}

export const Networks = () => {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme("light")
  const other = scheme === "dark" ? "light" : "dark"
  return (
    <div className={classes["foot"]}>
      {useMay("events:read") && <NewestLedgers />}
      <div className={classes["network"]}>
        Times in {ZONE}
        <ActionIcon
          variant="transparent"
          color="var(--text-2)"
          size="xs"
          aria-label={`Use ${other} colours`}
          onClick={() => setColorScheme(other)}
        >
          {scheme === "dark" ? <IconSun size={16} /> : <IconMoon size={16} />}
        </ActionIcon>
      </div>
    </div>
  )
}
