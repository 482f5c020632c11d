/** All filters of the list of deliveries. They are in the page's address, so a link shows the same list. */
import { NativeSelect } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { oneOf, setIn } from "../../app/search.ts"
import { EventTypeSelect } from "../../parts/EventTypeSelect.tsx"
import { FilterBar, FilterText, FilterTime } from "../../parts/FilterBar.tsx"
import { WebhookSelect } from "../../parts/WebhookSelect.tsx"
import { type DeliveryFilters, statuses } from "./filters.ts"

export const DeliveryFilterBar = ({ filters }: { readonly filters: DeliveryFilters }) => {
  const navigate = useNavigate()
  const change = (changed: DeliveryFilters) =>
    navigate({ to: "/deliveries", search: { ...filters, ...changed }, replace: true })
  return (
    <FilterBar
      active={setIn(filters)}
      onClear={() => navigate({ to: "/deliveries", search: {}, replace: true })}
    >
      <WebhookSelect
        size="xs"
        placeholder="Every webhook"
        value={filters.webhook_id}
        onChange={(webhook_id) => change({ webhook_id })}
      />
      <EventTypeSelect
        size="xs"
        value={filters.event_type}
        onChange={(event_type) => change({ event_type })}
      />
      <NativeSelect
        size="xs"
        label="Status"
        data={[{ value: "", label: "Every status" }, ...statuses]}
        value={filters.status ?? ""}
        onChange={(event) => change({ status: oneOf(statuses)(event.currentTarget.value) })}
      />
      <FilterTime label="Created after" value={filters.since} onChange={(since) => change({ since })} />
      <FilterTime label="Created before" value={filters.until} onChange={(until) => change({ until })} />
      <FilterText
        label="Event id"
        placeholder="xrpl:…"
        value={filters.event_id}
        onChange={(event_id) => change({ event_id })}
      />
    </FilterBar>
  )
}
