/** The frame of every page behind the sign-in: the navigation, whether the service answers, and the page. */
import { useQueryErrorResetBoundary } from "@tanstack/react-query"
import { Navigate, Outlet, useRouterState } from "@tanstack/react-router"
import { Suspense, useEffect, useState } from "react"
import { useSession } from "../api/session.tsx"
import { Loading } from "../ui/page/Loading.tsx"
import { FailureBoundary } from "../ui/page/Notices.tsx"
import { Navigation } from "./Navigation.tsx"
import { NoConnection } from "./NoConnection.tsx"
import classes from "./Shell.module.css"

/** Keeps the address that was asked for: while the router moves to the sign-in, the router's address is that one. */
const ToSignIn = () => {
  const href = useRouterState({ select: ({ location }) => location.href })
  const [asked] = useState(href)
  return <Navigate to="/sign-in" search={{ next: asked === "/" ? undefined : asked }} replace />
}

export const Shell = () => {
  const { environment } = useSession()
  const { reset } = useQueryErrorResetBoundary()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [open, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes.
  useEffect(() => setOpen(false), [path])

  if (environment === undefined) return <ToSignIn />
  return (
    <FailureBoundary onReset={reset}>
      <Suspense fallback={<Loading />}>
        <a className={classes["skip"]} href="#main">
          Skip to the page
        </a>
        <div className={classes["shell"]}>
          <Navigation open={open} setOpen={setOpen} />
          <main className={classes["main"]} id="main" tabIndex={-1}>
            <div className={classes["column"]}>
              <NoConnection />
              <FailureBoundary key={path} onReset={reset}>
                <Suspense fallback={<Loading />}>
                  <Outlet />
                </Suspense>
              </FailureBoundary>
            </div>
          </main>
        </div>
      </Suspense>
    </FailureBoundary>
  )
}
