/** One event type: when it occurs, its fields beside an example, and what can be done with it. */
import { Button, SegmentedControl } from "@mantine/core"
import { IconPlus } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type DescribedEventType, listEvents } from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { useNewestWebhooks, useWebhookCounts } from "../../../api/webhooks.ts"
import { Spark } from "../../../charts/Spark.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { JsonLines, JsonPanel } from "../../../ui/value/JsonPanel.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { familyName } from "../../../words/eventTypes.ts"
import { count, localTime, plural } from "../../../words/format.ts"
import { jsonLines } from "../../../words/json.ts"
import { asksFor } from "../../../words/patterns.ts"
import { useEventCounts } from "../useEventTypes.ts"
import { commonFields, describe, type Field, fieldsOf, notesOf, variantsOf } from "./describe.ts"
import { ReceiveIt } from "./ReceiveIt.tsx"
import { SendThis } from "./SendThis.tsx"
import classes from "./TypePage.module.css"
import { useCourse } from "./useCourse.ts"

const catalogue = { to: "/catalogue", label: "Event catalogue" } as const

/** Fewer bars say nothing. */
const BARS_MIN = 3

type Type = DescribedEventType["event_type"]

/** "2 of your 9 webhooks want it" */
const Wanted = ({ type }: { readonly type: Type }) => {
  const webhooks = useNewestWebhooks()
  const states = useWebhookCounts().data?.states
  if (states === undefined) return null
  const all = Object.values(states).reduce((sum, some) => sum + some, 0)
  const wanting = webhooks.filter(({ event_types }) => asksFor(event_types, type)).length
  const of = all > webhooks.length ? `newest ${count(webhooks.length)}` : count(all)
  return all === 0 ? (
    <span>no webhook yet</span>
  ) : (
    <Link to="/webhooks" search={{ event_type: type }} className={classes["quietLink"]}>
      {count(wanting)} of your {of} webhook{all === 1 ? "" : "s"} {wanting === 1 ? "wants" : "want"} it
    </Link>
  )
}

const Newest = ({ type }: { readonly type: Type }) => {
  const query = useQuery({
    queryKey: ["events", "newest", type],
    queryFn: () => call(listEvents({ eventType: [type], limit: 1 })),
    refetchInterval: autoRefresh
  })
  const event = query.data?.data[0]
  if (query.data === undefined) return null
  return event === undefined ? (
    <span>none yet</span>
  ) : (
    <Link
      to="/events/$id"
      params={{ id: event.event_id }}
      search={{ network: event.network }}
      className={classes["quietLink"]}
    >
      newest <Time at={event.timestamp} />
    </Link>
  )
}

/** How many there were in the last 24 hours, and their course. */
const Count = ({ type }: { readonly type: Type }) => {
  const counts = useEventCounts()
  const course = useCourse(type)
  if (counts === undefined) return null
  return (
    <span className={classes["count"]}>
      {course !== undefined && course.parts.filter((some) => some > 0).length >= BARS_MIN && (
        <Spark
          kind="bars"
          description={`Events since ${localTime(new Date(course.examined_since))}`}
          values={course.parts}
        />
      )}
      <span>
        <b>{count(counts.by_type[type] ?? 0)}</b> in the last 24 h on {counts.network}
      </span>
    </span>
  )
}

interface MarkProps {
  readonly marked: string | undefined
  readonly onMark: (field: string | undefined) => void
}

const FieldRows = ({
  type,
  fields,
  marked,
  onMark
}: MarkProps & { readonly type: string; readonly fields: ReadonlyArray<Field> }) => (
  <ul className={classes["fields"]}>
    {fields.map(({ description, isOptional, kind, name }) => (
      <li
        key={name}
        id={name}
        data-marked={name === marked}
        onMouseEnter={() => onMark(name)}
        onMouseLeave={() => onMark(undefined)}
        onFocus={() => onMark(name)}
        onBlur={() => onMark(undefined)}
      >
        <div className={classes["name"]}>
          <Link to="/catalogue/$type" params={{ type }} hash={name}>
            <code>{name}</code>
          </Link>
          {isOptional && <small>optional</small>}
          <small className={classes["kind"]}>{kind}</small>
        </div>
        <p>{description}</p>
      </li>
    ))}
  </ul>
)

interface TypePageProps {
  readonly described: DescribedEventType
  readonly types: ReadonlyArray<DescribedEventType>
}

const Example = ({ described, marked, onMark }: MarkProps & Pick<TypePageProps, "described">) => {
  const [chosen, setChosen] = useState(0)
  const variants = variantsOf(described)
  const { payload } = variants[chosen]!
  const { event_type } = described
  return (
    <>
      <JsonPanel
        what="the example"
        title="Payload"
        text={JSON.stringify(payload, null, 2)}
        small
        actions={
          variants.length > 1 && (
            <SegmentedControl
              aria-label="Which example"
              withItemsBorders={false}
              data={variants.map(({ label }, at) => ({ value: String(at), label }))}
              value={String(chosen)}
              onChange={(value) => setChosen(Number(value))}
            />
          )
        }
      >
        <JsonLines lines={jsonLines(payload)} notes={notesOf(payload)} marked={marked} onMark={onMark} />
      </JsonPanel>
      {useMay("webhooks:write") && <SendThis type={event_type} payload={payload} />}
    </>
  )
}

const Causes = ({ described: { description }, types }: TypePageProps) => {
  const { causes } = describe(
    description,
    types.map(({ event_type }) => event_type)
  )
  if (causes.length === 0) return null
  return (
    <Section title="Causes">
      <p className="quiet">
        {causes.map(({ text, type }) =>
          type === undefined ? (
            text
          ) : (
            <Link key={text} to="/catalogue/$type" params={{ type }}>
              {text}
            </Link>
          )
        )}
      </p>
    </Section>
  )
}

export const TypePage = ({ described, types }: TypePageProps) => {
  const { description, event_type } = described
  const [marked, setMarked] = useState<string>()
  const mayWrite = useMay("webhooks:write")
  const maySee = useMay("webhooks:read")
  const mayRead = useMay("events:read")
  const common = commonFields(types)
  const fields = fieldsOf(described)
  const own = fields.filter(({ name }) => !common.has(name))
  const others = fields.filter(({ name }) => common.has(name))
  const mark = { type: event_type, marked, onMark: setMarked }
  return (
    <Page
      within={[catalogue, { ...catalogue, label: familyName(event_type) }]}
      name={event_type.slice(event_type.indexOf(".") + 1)}
      title={event_type}
      note={
        <p className={classes["when"]}>
          {
            describe(
              description,
              types.map((one) => one.event_type)
            ).when
          }
        </p>
      }
      actions={
        mayWrite && (
          <Button
            component={Link}
            to={`/webhooks/new?event_type=${event_type}`}
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Webhook for it
          </Button>
        )
      }
    >
      <div className={classes["figures"]}>
        <Count type={event_type} />
        {maySee && <Wanted type={event_type} />}
        {mayRead && <Newest type={event_type} />}
      </div>
      <div className={classes["columns"]}>
        <Section title={plural(own.length, "field")}>
          <FieldRows fields={own} {...mark} />
          <details className={classes["common"]}>
            <summary>{plural(others.length, "field")} that an event of any type may have</summary>
            <FieldRows fields={others} {...mark} />
          </details>
        </Section>
        <aside className={classes["side"]} aria-label="Example">
          <Example described={described} marked={marked} onMark={setMarked} />
          <Causes described={described} types={types} />
        </aside>
      </div>
      <ReceiveIt described={described} common={common} />
    </Page>
  )
}
