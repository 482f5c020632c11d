/**
 * Generates the page `/docs/event-types` from the published schemas: each event type with its trigger, its fields and
 * an example. Pure.
 */
import { type DescribedEventType, eventCatalogue } from "../../spine/event/EventCatalogue.ts"
import { codeBlock } from "./CodeBlock.ts"
import { type Content, contentsGroup } from "./HtmlPage.ts"
import { definition, fieldsOf, link, objectOf, prose } from "./SchemaTables.ts"

const typeSection = ({ event_type, description, schema, exampleBody }: DescribedEventType): string =>
  `<section>
<h2 id="${event_type}">${event_type}</h2>
<p>${prose(description)}</p>
${fieldsOf(schema)}
<details><summary>Example of a request's body</summary>${codeBlock(JSON.stringify(exampleBody, null, 2), "json")}</details>
</section>`

const pageOf = (types: ReadonlyArray<DescribedEventType>): Content => {
  const definitions = new Map(types.flatMap(({ schema }) => Object.entries(objectOf(schema["$defs"]))))
  const sorted = [...definitions].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const families = Map.groupBy(types, ({ event_type }) => event_type.split(".", 1)[0]!)
  return {
    title: "Event types",
    contents: [
      ...Array.from(families, ([family, members]) =>
        contentsGroup(
          family,
          members.map(({ event_type }) => link(event_type))
        )
      ),
      contentsGroup("Types of fields", [`<a href="#types">Types of fields</a>`])
    ].join("\n"),
    article: `<h1>Event types</h1>
<p>What each event type means, and the fields of its <code>payload</code>. A webhook asks for single types, for families such as <code>nft.*</code>, or for <code>*</code>. The <a href="/docs">API reference</a> says how. <code>GET /v1/event-types</code> has the same as JSON, with a JSON Schema of each payload. With a key, the <a href="/catalogue">catalogue of the dashboard</a> also counts them, sends you an example, and has programs that receive each type.</p>
<p>Fields that do not apply are absent, never null. New versions may add optional fields and event types.</p>
${types.map(typeSection).join("\n")}
<h2 id="types">Types of fields</h2>
${sorted.map(([name, schema]) => definition(name, objectOf(schema))).join("\n")}`
  }
}

export const eventTypesPage = (): Content => pageOf(eventCatalogue())
