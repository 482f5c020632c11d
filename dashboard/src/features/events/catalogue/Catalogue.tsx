/** Every event type, by family, and the page of one. The list stays beside it; on a narrow screen it is a page of its own. */
import { TextInput } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import { getRouteApi, Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import type { DescribedEventType } from "../../../api/ledgerhook.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice, NoSuchPage } from "../../../ui/page/Notices.tsx"
import { Page } from "../../../ui/page/Page.tsx"
import { byFamily, familyName } from "../../../words/eventTypes.ts"
import { plural, shortCount } from "../../../words/format.ts"
import { useEventCounts, useEventTypesQuery } from "../useEventTypes.ts"
import classes from "./Catalogue.module.css"
import { describe, search } from "./describe.ts"
import { TypePage } from "./TypePage.tsx"

const route = getRouteApi("/shell/catalogue/$type")

type Types = ReadonlyArray<DescribedEventType>

const Family = ({ of, note }: { readonly of: string; readonly note?: string | undefined }) => (
  <h2 className={classes["family"]}>
    <i style={{ background: `var(--f-${of}, var(--idle))` }} />
    {familyName(of)}
    {note && <span>{note}</span>}
  </h2>
)

const List = ({ types }: { readonly types: Types }) => {
  const [text, setText] = useState("")
  const found = search(types, text)
  const counts = useEventCounts()
  return (
    <nav className={classes["list"]} aria-label="Event types">
      <TextInput
        type="search"
        aria-label="Search types and fields"
        placeholder={`Search ${plural(types.length, "type")}, fields`}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {found.length === 0 && (
        <p className="note" role="status">
          No type and no field has this in its name.
        </p>
      )}
      {byFamily(found, ({ type }) => type).map(([family, inFamily], at) => (
        <div key={family}>
          <Family
            of={family}
            note={at === 0 && counts && inFamily[0]!.field === undefined ? "last 24 h" : undefined}
          />
          <ul>
            {inFamily.map(({ field, type }) => (
              <li key={type}>
                <Link
                  to="/catalogue/$type"
                  params={{ type }}
                  {...(field === undefined ? {} : { hash: field })}
                  activeOptions={{ includeHash: false }}
                >
                  {type}
                  <span>{field ?? (counts && shortCount(counts.by_type[type] ?? 0))}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

interface FrameProps {
  readonly isList?: boolean
  readonly children: (types: Types) => ReactNode
}

const Frame = ({ isList = false, children }: FrameProps) => {
  const query = useEventTypesQuery()
  if (query.data === undefined) {
    return query.isError ? (
      <Page title="Event catalogue">
        <FailureNotice failure={query.error} onRetry={() => query.refetch()} />
      </Page>
    ) : (
      <Loading />
    )
  }
  const types = query.data.data
  return (
    <div className={classes["frame"]} data-list={isList}>
      <List types={types} />
      <div className={classes["content"]}>{children(types)}</div>
    </div>
  )
}

/** The list alone, with what each type means. */
export const Catalogue = () => (
  <Frame isList>
    {(types) => {
      const names = types.map(({ event_type }) => event_type)
      return (
        <Page
          title={plural(types.length, "event type")}
          note={
            <>
              A webhook asks for single types, for families such as <code>nft.*</code>, or for everything. For
              readers without a key, <a href="/docs/event-types">a page</a> has the same.
            </>
          }
        >
          {byFamily(types, ({ event_type }) => event_type).map(([family, inFamily]) => (
            <section key={family} className={classes["meanings"]}>
              <Family of={family} />
              <dl>
                {inFamily.map(({ description, event_type }) => (
                  <div key={event_type}>
                    <dt>
                      <Link to="/catalogue/$type" params={{ type: event_type }}>
                        {event_type}
                      </Link>
                    </dt>
                    <dd>{describe(description, names).when}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </Page>
      )
    }}
  </Frame>
)

export const CatalogueType = () => {
  const { type } = route.useParams()
  return (
    <Frame>
      {(types) => {
        const described = types.find(({ event_type }) => event_type === type)
        return described === undefined ? (
          <NoSuchPage />
        ) : (
          <TypePage key={type} described={described} types={types} />
        )
      }}
    </Frame>
  )
}
