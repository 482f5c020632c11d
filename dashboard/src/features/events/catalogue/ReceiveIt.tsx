/** Programs that receive the type, in six languages. */
import { Tabs } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import type { DescribedEventType } from "../../../api/ledgerhook.ts"
import { Section } from "../../../ui/page/Page.tsx"
import { Copy } from "../../../ui/value/Copy.tsx"
import { codeParts } from "./highlight.ts"
import classes from "./ReceiveIt.module.css"
import { typedFields } from "./snippetFields.ts"
import { type Language, languages, needs, snippetOf } from "./snippets.ts"

interface ReceiveItProps {
  readonly described: DescribedEventType
  /** Fields that the programs leave out. */
  readonly common: ReadonlySet<string>
}

const Code = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <figure className={classes["code"]} aria-label={what}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever uses the keyboard scrolls it. */}
    <pre tabIndex={0}>
      {codeParts(text).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
        <span key={at} data-is={part.is}>
          {part.text}
        </span>
      ))}
    </pre>
  </figure>
)

export const ReceiveIt = ({ described, common }: ReceiveItProps) => {
  const [language, setLanguage] = useState<Language>("TypeScript")
  const snippet = (one: Language) => snippetOf(one, described.event_type, typedFields(described, common))
  return (
    <Section title="Receive it">
      <Tabs value={language} onChange={(value) => setLanguage(value as Language)} keepMounted={false}>
        <div className={classes["head"]}>
          <Tabs.List>
            {languages.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {one}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Copy value={snippet(language)} what={`the program in ${language}`} look="quiet" />
        </div>
        {languages.map((one) => (
          <Tabs.Panel key={one} value={one}>
            <Code text={snippet(one)} what={`the program in ${one}`} />
            <p className="note">
              It verifies the signature with the webhook's secret, from the variable{" "}
              <code>LEDGERHOOK_SECRET</code>. Needs {needs[one]}{" "}
              <Link to="/guides/$name" params={{ name: "receiving" }}>
                Receiving webhooks
              </Link>{" "}
              has the rest.
            </p>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  )
}
