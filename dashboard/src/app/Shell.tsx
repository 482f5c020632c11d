/** The frame of every page behind the sign-in: navigation, the key that is signed in, and the page. */
import { ActionIcon, Burger, Button, useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { useQueryErrorResetBoundary } from "@tanstack/react-query"
import { Link, Navigate, Outlet, useRouterState } from "@tanstack/react-router"
import { Suspense, useEffect, useState } from "react"
import { useAccount } from "../api/account.ts"
import { fewLeft, useRequestsLeft } from "../api/refresh.ts"
import { useSession } from "../api/session.tsx"
import icon from "../icon.svg"
import { FailureBoundary, Loading } from "../parts/Notices.tsx"
import { Time } from "../parts/Time.tsx"

const pages = [
  { to: "/", label: "Overview" },
  { to: "/webhooks", label: "Webhooks" },
  { to: "/deliveries", label: "Deliveries" },
  { to: "/events", label: "Events" },
  { to: "/coverage", label: "Ledger coverage" },
  { to: "/replay", label: "Replay" },
  { to: "/keys", label: "API keys" },
  { to: "/account", label: "Account" }
] as const

const ColourScheme = () => {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme("light")
  const other = scheme === "dark" ? "light" : "dark"
  return (
    <ActionIcon variant="default" aria-label={`Use ${other} colours`} onClick={() => setColorScheme(other)}>
      {scheme === "dark" ? "☀" : "☾"}
    </ActionIcon>
  )
}

/** Whose key is signed in, and whether pages still refresh themselves. */
const SignedIn = () => {
  const account = useAccount()
  const { signOut } = useSession()
  const left = useRequestsLeft()
  return (
    <div className="shell-foot">
      {left !== undefined && fewLeft(left) && (
        <div role="status">
          This key has {left.remaining} requests left until <Time at={left.resetsAt} />. Pages refresh
          themselves again then.
        </div>
      )}
      <div>
        <strong>{account.name}</strong>
        <div>{account.key.environment === "live" ? "Live key: mainnet" : "Test key: testnet, devnet"}</div>
      </div>
      <div className="row">
        <Button size="compact-sm" variant="default" onClick={() => signOut()}>
          Sign out
        </Button>
        <ColourScheme />
      </div>
    </div>
  )
}

/** Keeps the address that was asked for: while the router moves to the sign-in, the router's address is that one. */
const ToSignIn = () => {
  const href = useRouterState({ select: ({ location }) => location.href })
  const [asked] = useState(href)
  return <Navigate to="/sign-in" search={{ next: asked === "/" ? undefined : asked }} replace />
}

export const Shell = () => {
  const { signedIn } = useSession()
  const { reset } = useQueryErrorResetBoundary()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [open, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes.
  useEffect(() => setOpen(false), [path])

  if (!signedIn) return <ToSignIn />
  return (
    <FailureBoundary onReset={reset}>
      <Suspense fallback={<Loading />}>
        <a className="shell-skip" href="#main">
          Skip to the page
        </a>
        <div className="shell">
          <nav className="shell-nav" aria-label="Pages" data-open={open}>
            <Link to="/" className="shell-brand" activeProps={{}}>
              <img src={icon} alt="" />
              Ledgerhook
            </Link>
            <div className="shell-menu">
              <Burger
                size="sm"
                opened={open}
                onClick={() => setOpen(!open)}
                aria-label={open ? "Close the menu" : "Open the menu"}
                aria-expanded={open}
              />
            </div>
            {pages.map(({ to, label }) => (
              <Link
                key={to}
                to={to}
                className="shell-link"
                activeOptions={{ exact: to === "/", includeSearch: false }}
              >
                {label}
              </Link>
            ))}
            <a className="shell-link" href="/docs">
              API reference
            </a>
            <SignedIn />
          </nav>
          <main className="shell-main" id="main" tabIndex={-1}>
            <FailureBoundary key={path} onReset={reset}>
              <Suspense fallback={<Loading />}>
                <Outlet />
              </Suspense>
            </FailureBoundary>
          </main>
        </div>
      </Suspense>
    </FailureBoundary>
  )
}
