/** What a page shows instead of its content: nothing yet, nothing at all, or what went wrong and what to do. */
import { Alert, Button, Loader } from "@mantine/core"
import { type ErrorComponentProps, Link } from "@tanstack/react-router"
import { Component, type ReactNode } from "react"
import { ApiFailure } from "../api/call.ts"
import { PlainText } from "./PlainText.tsx"

export const Loading = () => (
  <div className="row" role="status">
    <Loader size="sm" aria-hidden />
    <span className="quiet">Loading</span>
  </div>
)

/** `children` says what to do next. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="panel" style={{ textAlign: "center", padding: "3rem 1.25rem" }}>
    <strong>{title}</strong>
    <div className="quiet" style={{ marginTop: "0.5rem" }}>
      {children}
    </div>
  </div>
)

const titles: Record<string, string> = {
  UNREACHABLE: "The service cannot be reached",
  FORBIDDEN: "This key may not do that",
  NOT_FOUND: "There is no such thing",
  RATE_LIMITED: "Too many requests with this key",
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
    <Alert color="red" variant="light" role="alert" title={titles[known?.code ?? ""] ?? "That did not work"}>
      <PlainText>
        {known?.message ?? "This page has a defect. Reload it; if it fails again, report it."}
      </PlainText>
      {advice && <div>{advice}</div>}
      {known?.requestId && (
        <div className="quiet">
          Request id: <span className="mono">{known.requestId}</span>
        </div>
      )}
      {onRetry && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
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
  <main className="shell-main">
    <Empty title="There is no such page">
      <Link to="/">Go to the overview</Link>
    </Empty>
  </main>
)
