import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

/** tools/dashboard.js starts Vite, and adds where to build and which service to ask. */
export default defineConfig({
  plugins: [react()],
  build: {
    // Browsers of the last two years.
    target: "es2023",
    // The app, and the frame of the documentation's pages, which the service fills.
    rolldownOptions: { input: ["index.html", "docs.html"] }
  }
})
