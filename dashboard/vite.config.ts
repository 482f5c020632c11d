import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

/** What many pages use is one file: a page of sixty small ones waits for each, and each has its own head. */
const SHARED = /dashboard\/src\/(?!features\/docs\/)|node_modules/

/** tools/dashboard.js starts Vite, and adds where to build and which service to ask. */
export default defineConfig({
  plugins: [react()],
  build: {
    // Browsers of the last two years.
    target: "es2023",
    // The app, and the frame of the documentation's pages, which the service fills.
    rolldownOptions: {
      input: ["index.html", "docs.html"],
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 6, test: SHARED }] } }
    }
  }
})
