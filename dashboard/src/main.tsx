/** Starts the dashboard: the theme, the signed-in key, the router. */
import "./look/components.ts"
import "./look/fonts.css"
import "./look/tokens.css"
import "./look/mantine.css"
import "./look/base.css"
import { MantineProvider } from "@mantine/core"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { ApiFailure } from "./api/call.ts"
import { SessionProvider } from "./api/session.tsx"
import { router } from "./app/router.tsx"
import { theme } from "./look/theme.ts"
import { copyPlainDigits } from "./ui/value/copying.ts"

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

copyPlainDigits()

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
