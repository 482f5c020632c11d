/** The faults of a form: found here, or named by the API. Each belongs to a section, by its `param`. Pure. */
import type { Fault } from "../../../api/call.ts"
import { patternsIn } from "../../../words/eventTypes.ts"
import { objectIn } from "../../../words/json.ts"
import type { WebhookValues } from "./values.ts"

/** The sections in their order, with the fields of the API that each has. */
export const sections = {
  where: ["url", "description", "network"],
  events: ["event_types"],
  accounts: ["account_filters"],
  filter: ["payload_filter"],
  sending: [
    "ordering",
    "batch",
    "max_in_flight",
    "max_per_second",
    "signing",
    "format",
    "compression",
    "secret",
    "include"
  ],
  headers: ["headers"]
} as const

export type SectionName = keyof typeof sections

export const sectionTitles: Readonly<Record<SectionName, string>> = {
  where: "Where to",
  events: "Which events",
  accounts: "Which accounts",
  filter: "Payload filter",
  sending: "How it is sent",
  headers: "Headers"
}

const names = Object.keys(sections) as ReadonlyArray<SectionName>

/** "/batch/max_events" as "batch"; a fault of the request as a whole has no field. */
export const fieldOf = ({ param }: Fault): string | undefined => param.split("/")[1]

export const sectionOf = (fault: Fault): SectionName | undefined => {
  const field = fieldOf(fault)
  return names.find((name) => (sections[name] as ReadonlyArray<string>).includes(field ?? ""))
}

/** The sections that have a fault, in the order of the page. */
export const faultySections = (faults: ReadonlyArray<Fault>): ReadonlyArray<SectionName> => {
  const found = new Set(faults.map(sectionOf))
  return names.filter((name) => found.has(name))
}

/** The faults at a field, or at a part of it such as "batch/max_events". */
export const faultsAt = (faults: ReadonlyArray<Fault>, field: string): ReadonlyArray<Fault> =>
  faults.filter(({ param }) => param === `/${field}` || param.startsWith(`/${field}/`))

/**
 * "url must be an https URL; did you mean …?" as "It must be an https URL.": the field stands above the sentence, and the
 * suggestion is a link after it.
 */
export const sentenceOf = ({ param, message: whole, suggestion }: Fault): string => {
  const message = suggestion === undefined ? whole : whole.replace(/; did you mean .*\?$/, ".")
  const [field, ...rest] = message.split(" ")
  const isNamed = field !== undefined && new RegExp(`^${param.split("/")[1]}\\b`).test(field)
  return isNamed ? `It ${rest.join(" ")}` : message
}

/** The same address with https, if the API wants that. */
export const withHttps = (fault: Fault, url: string): Fault =>
  fault.message.includes("must be an https URL") && url.startsWith("http://")
    ? { ...fault, suggestion: url.replace("http:", "https:") }
    : fault

/** What the API would refuse, and what only this page can know. `unfinished`: rows of the filter without a value. */
export const localFaults = (values: WebhookValues, unfinished: number): ReadonlyArray<Fault> => [
  ...(values.url.trim() === ""
    ? [{ param: "/url", message: "Give the address that receives the events." }]
    : []),
  ...(patternsIn(values.event_types).length === 0
    ? [{ param: "/event_types", message: "Choose at least one event type." }]
    : []),
  ...(values.only_accounts && values.account_filters.length === 0
    ? [{ param: "/account_filters", message: "Add an account, or choose all accounts." }]
    : []),
  ...(objectIn(values.payload_filter) === undefined
    ? [{ param: "/payload_filter", message: "Correct the JSON, or empty the field." }]
    : unfinished > 0
      ? [{ param: "/payload_filter", message: "Finish the condition, or remove it." }]
      : [])
]
