/** Starts the dashboard: the theme, the signed-in key, the router. */
import "@mantine/core/styles.css"
import "./app/theme.css"
import "./app/layout.css"
import { createTheme, MantineProvider, Modal, Tooltip } from "@mantine/core"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { ApiFailure } from "./api/call.ts"
import { SessionProvider } from "./api/session.tsx"
import { router } from "./app/router.tsx"

/** A refused request would be refused again. Others are tried twice more. */
const RETRIES = 2

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) =>
        failures < RETRIES && !(error instanceof ApiFailure && error.status >= 400 && error.status < 500),
      staleTime: 2_000,
      refetchOnWindowFocus: true
    },
    mutations: { retry: false }
  }
})

/** The rest of the theme is in theme.css: the Content-Security-Policy allows no inline <style> element. */
const theme = createTheme({
  primaryColor: "indigo",
  respectReducedMotion: true,
  components: {
    // Locking the page's scroll bar inserts a <style> element.
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, centered: true, closeButtonProps: { "aria-label": "Close" } }
    }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, openDelay: 200 } })
  }
})

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
)
