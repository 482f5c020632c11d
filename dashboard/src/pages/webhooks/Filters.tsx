/** The filters above the list of webhooks: by health, by type and network, by a part of the name. */
import { Button, NativeSelect, Popover } from "@mantine/core"
import { IconPlus, IconX } from "@tabler/icons-react"
import { useAccount } from "../../api/account.ts"
import { oneOf } from "../../app/search.ts"
import { EventTypeSelect } from "../../parts/EventTypeSelect.tsx"
import { FilterText } from "../../parts/FilterBar.tsx"
import { count } from "../../parts/format.ts"
import { StatusIcon } from "../../parts/Status.tsx"
import { type HealthState, networks, states, type WebhookFilters } from "./filters.ts"
import classes from "./Webhooks.module.css"

export type Counts = Readonly<Record<HealthState, number>>

export const totalOf = (counts: Counts) => Object.values(counts).reduce((sum, some) => sum + some, 0)

interface FiltersProps {
  readonly filters: WebhookFilters
  readonly change: (changed: WebhookFilters) => void
}

interface SetChipProps {
  readonly value: string | undefined
  readonly remove: () => void
}

/** A filter that is set, with the way to remove it. */
const SetChip = ({ value, remove }: SetChipProps) =>
  value && (
    <button type="button" aria-label={`Remove the filter ${value}`} aria-pressed onClick={remove}>
      {value} <IconX size={14} aria-hidden />
    </button>
  )

const TypeAndNetwork = ({ filters, change }: FiltersProps) => {
  const isTest = useAccount().key.environment === "test"
  return (
    <Popover position="bottom-start" withinPortal={false} trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
          {isTest ? "Type, network" : "Type"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Type and network">
        <div className={classes["more"]}>
          <EventTypeSelect value={filters.event_type} onChange={(event_type) => change({ event_type })} />
          {isTest && (
            <NativeSelect
              label="Network"
              data={[{ value: "", label: "Both" }, ...networks]}
              value={filters.network ?? ""}
              onChange={(event) => change({ network: oneOf(networks)(event.currentTarget.value) })}
            />
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Only states that a webhook is in can be chosen. */
export const Filters = ({
  counts,
  filters,
  change
}: FiltersProps & { readonly counts: Counts | undefined }) => {
  const { event_type, health, network, search } = filters
  const there = states.filter((state) => state === health || (counts?.[state] ?? 0) > 0)
  return (
    <search className={classes["filters"]} aria-label="Filters">
      <fieldset className={classes["chips"]} aria-label="Health, type and network">
        <button
          type="button"
          aria-pressed={health === undefined}
          onClick={() => change({ health: undefined })}
        >
          All {counts && <span>{count(totalOf(counts))}</span>}
        </button>
        {there.map((state) => (
          <button
            key={state}
            type="button"
            aria-pressed={health === state}
            onClick={() => change({ health: state })}
          >
            <StatusIcon of={state} />
            {state[0]!.toUpperCase() + state.slice(1)} {counts && <span>{count(counts[state])}</span>}
          </button>
        ))}
        <SetChip value={event_type} remove={() => change({ event_type: undefined })} />
        <SetChip value={network} remove={() => change({ network: undefined })} />
        <TypeAndNetwork filters={filters} change={change} />
      </fieldset>
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
