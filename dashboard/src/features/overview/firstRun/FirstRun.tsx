/** The three steps to a first webhook: start a receiver, choose events, and see the first one arrive. */
import { Button, TextInput } from "@mantine/core"
import { IconCheck } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useState } from "react"
import { useAccount } from "../../../api/account.ts"
import { ApiFailure, call } from "../../../api/call.ts"
import {
  type CreatedWebhook,
  createWebhook,
  type DeliveryDetail,
  type Webhook
} from "../../../api/ledgerhook.ts"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { NotMade, SecretModal } from "../../../ui/page/SecretModal.tsx"
import { Code } from "../../../ui/value/Code.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { patternsIn } from "../../../words/eventTypes.ts"
import { clockTime } from "../../../words/format.ts"
import { visible } from "../../../words/visible.ts"
import { useExample } from "../../events/useEventTypes.ts"
import { SendTest } from "../../webhooks/webhook/SendTest.tsx"
import { Arrived } from "./Arrived.tsx"
import classes from "./FirstRun.module.css"
import { choices, type Pattern, sampleOf, toggled } from "./families.ts"
import { useFirstEvent } from "./firstEvent.ts"
import type { FirstRunState } from "./isFirstRun.ts"

const RECEIVER = "npx ledgerhook listen --port 4000"
const ADDRESS = "http://127.0.0.1:4000/"
const NAME = "First try"
const ACTION = "Create webhook"

interface StepProps {
  readonly number: number
  readonly state: "done" | "now" | "later"
  readonly title: string
  readonly children: ReactNode
}

const Step = ({ number, state, title, children }: StepProps) => (
  <li data-state={state} aria-current={state === "now" ? "step" : undefined}>
    <span className={classes["number"]}>
      {state === "done" ? <IconCheck size={16} stroke={1.9} aria-label="done" /> : number}
    </span>
    <div>
      <h2>{title}</h2>
      {children}
    </div>
  </li>
)

interface ChooseProps {
  readonly chosen: ReadonlyArray<Pattern>
  readonly setChosen: (chosen: ReadonlyArray<Pattern>) => void
  readonly onMade: (webhook: CreatedWebhook) => void
}

const Families = ({
  chosen,
  setChosen
}: {
  readonly chosen: ReadonlyArray<string>
  readonly setChosen?: (pattern: Pattern) => void
}) => (
  <div className={classes["families"]}>
    {choices.map(({ pattern, label }) => (
      <button
        key={pattern}
        type="button"
        className="chip"
        aria-pressed={chosen.includes(pattern)}
        disabled={setChosen === undefined}
        onClick={() => setChosen?.(pattern)}
      >
        {pattern !== "*" && <i style={{ background: `var(--f-${pattern.split(".")[0]})` }} />}
        {label}
        {chosen.includes(pattern) && <IconCheck size={16} stroke={1.9} aria-hidden />}
      </button>
    ))}
  </div>
)

const Choose = ({ chosen, setChosen, onMade }: ChooseProps) => {
  const { environment } = useAccount().key
  const [url, setUrl] = useState(ADDRESS)
  const [request, setRequest] = useState<string>(() => crypto.randomUUID())
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: () =>
      call(
        createWebhook(
          {
            url: url.trim(),
            description: NAME,
            event_types: patternsIn(chosen),
            network: environment === "live" ? "mainnet" : "testnet"
          },
          { idempotencyKey: request }
        )
      ),
    onSuccess: (made) => {
      onMade(made)
      queries.invalidateQueries({ queryKey: ["webhooks"] })
    }
  })
  const changed = () => {
    setRequest(crypto.randomUUID())
    create.reset()
  }
  const faults = create.error instanceof ApiFailure ? create.error.faults : []
  const fault = faults.find(({ param }) => param === "/url")?.message
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Families
        chosen={chosen}
        setChosen={(pattern) => {
          setChosen(toggled(chosen, pattern))
          changed()
        }}
      />
      <div className={classes["address"]}>
        <TextInput
          label="Address"
          classNames={{ input: "mono" }}
          value={url}
          onChange={(event) => {
            setUrl(event.currentTarget.value)
            changed()
          }}
          error={fault && visible(fault)}
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={create.isPending}>
          {ACTION}
        </Button>
      </div>
      {fault !== undefined && (
        <p className="note">
          Without a webhook, <code>npx ledgerhook listen --forward</code> sends live events to a program on
          your machine:{" "}
          <Link to="/guides/$name" params={{ name: "receiving" }}>
            Receiving webhooks
          </Link>
          .
        </p>
      )}
      {create.isError && fault === undefined && <NotMade failure={create.error} action={ACTION} />}
    </form>
  )
}

const Waiting = ({ webhook }: { readonly webhook: Webhook }) => {
  const now = useNow()
  const seconds = Math.max(Math.round((now - Date.parse(webhook.created_at)) / 1_000), 0)
  return (
    <p className="quiet">
      A ledger closes every 3 to 4 seconds. Waiting for <b>{seconds} s</b>.
    </p>
  )
}

const NothingArrives = ({ url }: Webhook) => (
  <details>
    <summary>Nothing arrives?</summary>
    <ul>
      <li>
        Is the receiver running? Its address is <code>{visible(url)}</code>.
      </li>
      <li>A test event arrives at once, whatever happens on the ledger.</li>
      <li>
        On the service's machine, <code>npx ledgerhook doctor</code> says what is wrong.
      </li>
    </ul>
  </details>
)

interface ThirdStepProps {
  readonly webhook: Webhook
  readonly arrived: DeliveryDetail | undefined
}

/** The dialog of the test event stays open while the page changes behind it, because its answer is what arrives. */
const ThirdStep = ({ webhook, arrived }: ThirdStepProps) => (
  <>
    {arrived === undefined ? <Waiting webhook={webhook} /> : <Arrived delivery={arrived} webhook={webhook} />}
    <div className={classes["actions"]}>
      {arrived?.status === "delivered" && (
        <Button component={Link} to={`/webhooks/${webhook.id}`}>
          Go to the webhook
        </Button>
      )}
      <SendTest key="test" webhook={webhook} label="Send a test event" />
      {arrived === undefined && <NothingArrives {...webhook} />}
    </div>
  </>
)

const Ring = ({ name }: { readonly name: string }) => (
  <div className={classes["ring"]}>
    <svg width={64} height={64} viewBox="0 0 64 64" aria-hidden>
      <circle cx={32} cy={32} r={5} />
      {[12, 21, 30].map((radius) => (
        <circle key={radius} cx={32} cy={32} r={radius} data-ring />
      ))}
    </svg>
    <div>
      <strong>{name}</strong>
      <span className="note">no event for it yet</span>
    </div>
  </div>
)

const Sample = ({
  chosen,
  network
}: {
  readonly chosen: ReadonlyArray<Pattern>
  readonly network: string
}) => {
  const type = sampleOf(chosen)
  const { example } = useExample(type)
  if (example === undefined) return null
  const event = { event_type: type, network, payload: JSON.parse(example) }
  return (
    <Section title="What arrives">
      <Code what="an example of a request">
        {`POST / HTTP/1.1\nX-Service-Event-Type: ${type}\nX-Service-Signature: sha256=…\n\n${JSON.stringify(event, null, 2)}`}
      </Code>
    </Section>
  )
}

const TITLES = {
  none: "Three steps to your first webhook",
  waiting: "Waiting for the first event",
  failed: "The first event was not accepted",
  delivered: "The first event has arrived"
}

export const FirstRun = ({ webhook: found, leave }: FirstRunState) => {
  const { environment } = useAccount().key
  const [chosen, setChosen] = useState<ReadonlyArray<Pattern>>(["payment.*", "nft.*"])
  const [made, setMade] = useState<CreatedWebhook>()
  const [stored, setStored] = useState(false)
  const webhook = made ?? found
  const first = useFirstEvent(webhook?.id)
  const arrived = first.data ?? undefined
  const state =
    webhook === undefined
      ? "none"
      : arrived === undefined
        ? "waiting"
        : arrived.status === "delivered"
          ? "delivered"
          : "failed"
  const name = visible(webhook?.description ?? webhook?.url ?? "")
  const network = webhook?.network ?? (environment === "live" ? "mainnet" : "testnet")
  return (
    <Page
      title={TITLES[state]}
      note={
        environment === "test" ? (
          "Everything here runs on testnet and costs nothing."
        ) : (
          <>
            This key sees mainnet. With a test key, made under <Link to="/keys">API keys</Link>, everything
            runs on testnet and costs nothing.
          </>
        )
      }
      actions={
        state === "delivered" && (
          <Button variant="default" onClick={leave}>
            Go to the overview
          </Button>
        )
      }
    >
      <SecretModal
        opened={made !== undefined && !stored}
        onClose={() => setStored(true)}
        title=""
        madeTitle="The secret of the webhook"
        what="the secret"
        purpose="Your server verifies with it that a request is from this service."
        secret={made?.secret}
        more={
          made && (
            <>
              <p>To see the receiver check each signature, start it again with the secret:</p>
              <Code what="the command">{`${RECEIVER} --secret ${made.secret}`}</Code>
            </>
          )
        }
      />
      <div className={classes["columns"]}>
        <ol className={classes["steps"]}>
          <Step number={1} state={webhook === undefined ? "now" : "done"} title="Start a receiver">
            <p className="quiet">
              It prints each request, and checks its signature if it has the webhook's secret.
            </p>
            <Code what="the command">{RECEIVER}</Code>
          </Step>
          <Step number={2} state={webhook === undefined ? "later" : "done"} title="Choose the events">
            <p className="quiet">Whole families here; single types and filters later.</p>
            {webhook === undefined ? (
              <Choose chosen={chosen} setChosen={setChosen} onMade={setMade} />
            ) : (
              <>
                <Families chosen={webhook.event_types} />
                <p className="note">
                  Webhook “{name}” was created at {clockTime(Date.parse(webhook.created_at))}.
                </p>
              </>
            )}
          </Step>
          <Step
            number={3}
            state={webhook === undefined ? "later" : state === "delivered" ? "done" : "now"}
            title="See the first event arrive"
          >
            {webhook === undefined ? (
              <p className="quiet">The next ledger closes within seconds.</p>
            ) : (
              <ThirdStep webhook={webhook} arrived={arrived} />
            )}
            {first.isError && <FailureNotice failure={first.error} onRetry={() => first.refetch()} />}
          </Step>
        </ol>
        <aside className="stack" aria-label="What arrives">
          {webhook !== undefined && arrived === undefined ? (
            <Ring name={name} />
          ) : (
            arrived === undefined && <Sample chosen={chosen} network={network} />
          )}
          {arrived?.request_body && (
            <Section title="What arrived">
              <Code what="the first event">{JSON.stringify(JSON.parse(arrived.request_body), null, 2)}</Code>
            </Section>
          )}
        </aside>
      </div>
    </Page>
  )
}
