/** The filters above the list of webhooks: by health, by type and network, by a part of the name. */
import { NativeSelect } from "@mantine/core"
import { useAccount } from "../../../api/account.ts"
import { Chips } from "../../../ui/filter/Chips.tsx"
import { EventTypeSelect } from "../../../ui/filter/EventTypeSelect.tsx"
import { FilterText } from "../../../ui/filter/FilterBar.tsx"
import { FilterChip } from "../../../ui/filter/FilterChip.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { totalOf } from "../../../words/format.ts"
import { oneOf } from "../../../words/search.ts"
import { type HealthState, networks, states, type WebhookFilters } from "./filters.ts"
import classes from "./Webhooks.module.css"

export type Counts = Readonly<Record<HealthState, number>>

interface FiltersProps {
  readonly counts: Counts | undefined
  readonly filters: WebhookFilters
  readonly change: (changed: WebhookFilters) => void
}

/** Only states that a webhook is in can be chosen. */
export const Filters = ({ counts, filters, change }: FiltersProps) => {
  const { event_type, health, network, search } = filters
  const isTest = useAccount().key.environment === "test"
  const there = states.filter((state) => state === health || (counts?.[state] ?? 0) > 0)
  return (
    <search className={classes["filters"]} aria-label="Filters">
      <div className="row">
        <Chips
          label="Health"
          chosen={health}
          choose={(state) => change({ health: state })}
          chips={[
            { value: undefined, label: "All", rows: counts && totalOf(counts) },
            ...there.map((state) => ({
              value: state,
              label: state[0]!.toUpperCase() + state.slice(1),
              icon: <StatusIcon of={state} />,
              rows: counts?.[state]
            }))
          ]}
        />
        <FilterChip label="Type" value={event_type} onClear={() => change({ event_type: undefined })}>
          {(close) => (
            <EventTypeSelect
              value={event_type}
              onChange={(type) => {
                change({ event_type: type })
                close()
              }}
            />
          )}
        </FilterChip>
        {isTest && (
          <FilterChip label="Network" value={network} onClear={() => change({ network: undefined })}>
            {(close) => (
              <NativeSelect
                label="Network"
                data={[{ value: "", label: "Both" }, ...networks]}
                value={network ?? ""}
                onChange={(event) => {
                  change({ network: oneOf(networks)(event.currentTarget.value) })
                  close()
                }}
              />
            )}
          </FilterChip>
        )}
      </div>
      <FilterText
        label="Search"
        isLabelHidden
        placeholder="A part of the name, address or id"
        value={search}
        onChange={(next) => change({ search: next })}
      />
    </search>
  )
}
