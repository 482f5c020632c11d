import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

/** The running service that `npm run dashboard` sends the API's requests to. */
const service = process.env["DASHBOARD_API"] ?? "http://127.0.0.1:8080"

export default defineConfig({
  plugins: [react()],
  build: {
    // The Content-Security-Policy allows files of this server only, so nothing is inlined as a data: URL.
    assetsInlineLimit: 0,
    // Browsers of the last two years.
    target: "es2023"
  },
  server: { proxy: { "/v1": service, "/docs": service, "/openapi.json": service } }
})
