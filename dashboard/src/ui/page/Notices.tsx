/** What a page shows instead of its content: that there is nothing, or what went wrong and what to do. */
import { Button } from "@mantine/core"
import { IconCircleXFilled } from "@tabler/icons-react"
import { type ErrorComponentProps, Link } from "@tanstack/react-router"
import { Component, type ReactNode } from "react"
import { ApiFailure } from "../../api/call.ts"
import { PlainText } from "../value/PlainText.tsx"
import classes from "./Notices.module.css"

/** Says what is true; `children` says what to do next. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={classes["empty"]}>
    <strong>{title}</strong>
    <div className="quiet">{children}</div>
  </div>
)

/** A quiet line about the whole page. */
export const Notice = ({ children }: { readonly children: ReactNode }) => (
  <div className={classes["notice"]}>{children}</div>
)

const titles: Record<string, string> = {
  UNREACHABLE: "The service cannot be reached",
  FORBIDDEN: "This key may not do that",
  NOT_FOUND: "There is no such thing",
  RATE_LIMITED: "Too many requests with this key",
  SESSION_LIMIT_REACHED: "Too many sessions of this key",
  UNAVAILABLE: "The service is not available",
  QUOTA_EXCEEDED: "The month's quota is used up"
}

const adviceOf = ({ status }: ApiFailure): string | undefined =>
  status === 404
    ? "It may have been deleted, or belong to another account or network. A live key sees mainnet, a test key sees testnet and devnet."
    : status === 500
      ? "This is a defect of the service. Report it with the request id."
      : undefined

/** Says what failed. `onRetry` is offered if given. */
export const FailureNotice = ({
  failure,
  onRetry
}: {
  readonly failure: unknown
  readonly onRetry?: (() => void) | undefined
}) => {
  const known = failure instanceof ApiFailure ? failure : undefined
  const advice = known && adviceOf(known)
  return (
    <div className={classes["failure"]} role="alert">
      <IconCircleXFilled size={20} aria-hidden />
      <div>
        <strong>{titles[known?.code ?? ""] ?? "That did not work"}</strong>
        <p>
          <PlainText>
            {known?.message ?? "This page has a defect. Reload it; if it fails again, report it."}
          </PlainText>
        </p>
        {advice && <p className="quiet">{advice}</p>}
        {known?.requestId && (
          <p className="note">
            Request id: <span className="mono">{known.requestId}</span>
          </p>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

interface BoundaryProps {
  readonly children: ReactNode
  readonly onReset: () => void
}

/** Shows the failure of a page inside the frame, so that the navigation stays. */
export class FailureBoundary extends Component<BoundaryProps, { readonly failure: unknown }> {
  override state = { failure: undefined }
  static getDerivedStateFromError(failure: unknown) {
    return { failure }
  }
  override render() {
    if (this.state.failure === undefined) return this.props.children
    const retry = () => {
      this.props.onReset()
      this.setState({ failure: undefined })
    }
    return <FailureNotice failure={this.state.failure} onRetry={retry} />
  }
}

export const PageFailure = ({ error, reset }: ErrorComponentProps) => (
  <FailureNotice failure={error} onRetry={reset} />
)

export const NoSuchPage = () => (
  <Empty title="There is no such page">
    Its address may be mistyped. <Link to="/">Go to the overview</Link>
  </Empty>
)
