/** One network's ledgers: which were taken, hour by hour, which are missing and what to do, and how it goes now. */
import { SegmentedControl } from "@mantine/core"
import { IconCircleCheckFilled } from "@tabler/icons-react"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { useMay } from "../../../api/account.ts"
import { useCoverage, useCoverageByHour } from "../../../api/coverage.ts"
import type { NetworkCoverage } from "../../../api/ledgerhook.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { Empty, FailureNotice } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { Beside } from "./Beside.tsx"
import { type Gap, gapsOf } from "./gaps.ts"
import { HourMap } from "./HourMap.tsx"
import { headlineOf } from "./headline.ts"
import { type HourCell, isIn } from "./hours.ts"

const route = getRouteApi("/shell/coverage")

const MINUTE_MS = 60_000

interface NetworkPageProps {
  readonly coverage: NetworkCoverage
  readonly networks: ReadonlyArray<NetworkCoverage["network"]>
}

const NetworkPage = ({ coverage, networks }: NetworkPageProps) => {
  const navigate = useNavigate()
  const hours = useCoverageByHour(coverage.network)
  // The map changes slowly.
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS
  const { ranges, skipped } = coverage
  const gaps = useMemo(() => gapsOf({ ranges, ...(skipped && { skipped }) }), [ranges, skipped])
  const [chosen, setChosen] = useState<{ readonly hour?: HourCell; readonly gap?: Gap }>({})
  // An hour that was chosen before it ended is shown as it is now.
  const hour = chosen.hour
  const gap = hour
    ? gaps.find((one) => isIn(one, hour))
    : (gaps.find(({ first }) => first === chosen.gap?.first) ?? gaps[0])
  const isMarked = useCallback(
    (cell: HourCell) => (gap ? cell.missing > 0 && isIn(gap, cell) : cell.at === hour?.at),
    [gap, hour]
  )
  const choose = useCallback((cell: HourCell) => setChosen({ hour: cell }), [])
  const { isComplete, note, title } = headlineOf(coverage, gaps)
  return (
    <Page
      title={title}
      icon={isComplete && <IconCircleCheckFilled size={28} className="good" aria-hidden />}
      note={note}
      actions={
        networks.length > 1 && (
          <SegmentedControl
            aria-label="Network"
            withItemsBorders={false}
            data={[...networks]}
            value={coverage.network}
            onChange={(network) =>
              navigate({
                to: "/coverage",
                search: { network: network as NetworkCoverage["network"] },
                replace: true
              })
            }
          />
        )
      }
    >
      <div className="with-side">
        {hours.data !== undefined ? (
          <HourMap hours={hours.data.data} now={now} isMarked={isMarked} onChoose={choose} />
        ) : hours.isError ? (
          <FailureNotice failure={hours.error} onRetry={() => hours.refetch()} />
        ) : (
          <Loading lines={30} height={18} />
        )}
        <Beside
          coverage={coverage}
          gaps={gaps}
          gap={gap}
          hour={hour}
          onChoose={(one) => setChosen({ gap: one })}
        />
      </div>
    </Page>
  )
}

const Networks = () => {
  const coverage = useCoverage()
  const { network } = route.useSearch()
  const shown = coverage.data?.data.filter(({ watched, ranges }) => watched || ranges.length > 0) ?? []
  const one = shown.find((of) => of.network === network) ?? shown[0]
  if (one !== undefined && !coverage.isError)
    return <NetworkPage key={one.network} coverage={one} networks={shown.map((of) => of.network)} />
  return (
    <Page title="Ledger coverage">
      {coverage.isError ? (
        <FailureNotice failure={coverage.error} onRetry={() => coverage.refetch()} />
      ) : coverage.data === undefined ? (
        <Loading />
      ) : (
        <Empty title="The service does not watch a network that this key sees">
          A live key sees mainnet. A test key sees testnet and devnet.
        </Empty>
      )}
    </Page>
  )
}

export const Coverage = () =>
  useMay("events:read") ? (
    <Networks />
  ) : (
    <Page title="Ledger coverage">
      <Section>This key may not see ledgers (scope events:read).</Section>
    </Page>
  )
