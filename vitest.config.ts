import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/LeftOutReporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Databases, brokers and child processes are real: more at once would only wait for one another.
    maxWorkers: 2
  }
})
