/** A program that computes this delivery's signature with the viewer's secret. */
import { SegmentedControl } from "@mantine/core"
import { useState } from "react"
import { Section } from "../../../ui/page/Page.tsx"
import { Code } from "../../../ui/value/Code.tsx"
import { type Language, languages, signedOf } from "./snippets.ts"

interface VerifySignatureProps {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export const VerifySignature = ({ body, headers }: VerifySignatureProps) => {
  const [language, setLanguage] = useState<Language>("Shell")
  return (
    <Section title="Verify the signature">
      <div className="stack-small">
        <p>
          Set the environment variable <code>SECRET</code> to the webhook's secret and run the program. It
          prints the signature of this very request. If your receiver got another one, it has another secret
          or changed the body before it verified.
        </p>
        <SegmentedControl
          aria-label="Language"
          style={{ alignSelf: "start" }}
          data={[...languages]}
          value={language}
          onChange={(value) => setLanguage(value as Language)}
        />
        {signedOf(body, headers).map(({ header, snippets }) => (
          <div key={header}>
            <div className="quiet" style={{ marginBottom: "0.35rem" }}>
              Compare with the header <code>{header}</code>. While an old secret is still valid, the header
              has two signatures; one of them must be equal.
            </div>
            <Code what={`the program for ${header}`}>{snippets[language]}</Code>
          </div>
        ))}
      </div>
    </Section>
  )
}
