/** All filters of the list of events. They are in the page's address, so a link shows the same list. */
import { NativeSelect } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../../../api/account.ts"
import { EventTypesSelect } from "../../../ui/filter/EventTypeSelect.tsx"
import { FilterBar, FilterText, FilterTime } from "../../../ui/filter/FilterBar.tsx"
import { setIn, whole } from "../../../words/search.ts"
import { type EventFilters, networkIn, typesIn, typesText } from "./filters.ts"

export const EventFilterBar = ({ filters }: { readonly filters: EventFilters }) => {
  const navigate = useNavigate()
  const live = useAccount().key.environment === "live"
  const change = (changed: EventFilters) =>
    navigate({ to: "/events", search: { ...filters, ...changed }, replace: true })
  return (
    <FilterBar active={setIn(filters)} onClear={() => navigate({ to: "/events", search: {}, replace: true })}>
      {!live && (
        <NativeSelect
          size="xs"
          label="Network"
          data={["testnet", "devnet"]}
          value={filters.network ?? "testnet"}
          onChange={(event) => change({ network: networkIn(event.currentTarget.value) })}
        />
      )}
      <EventTypesSelect
        value={typesIn(filters)}
        onChange={(types) => change({ event_type: typesText(types) })}
      />
      <FilterText
        label="Account"
        placeholder="r…"
        value={filters.account}
        onChange={(account) => change({ account })}
      />
      <FilterText
        short
        label="From ledger"
        value={filters.ledger_index_min?.toString()}
        onChange={(index) => change({ ledger_index_min: whole(index) })}
      />
      <FilterText
        short
        label="To ledger"
        value={filters.ledger_index_max?.toString()}
        onChange={(index) => change({ ledger_index_max: whole(index) })}
      />
      <FilterTime label="After" value={filters.since} onChange={(since) => change({ since })} />
      <FilterTime label="Before" value={filters.until} onChange={(until) => change({ until })} />
    </FilterBar>
  )
}
