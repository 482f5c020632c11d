import { defineConfig } from "vitest/config"

/** Git does not keep the client of the API. */
const client = "test/support/setup/clientSetup.ts"
const onPostgres = { globalSetup: [client, "test/support/setup/globalSetup.ts"] }

/** `npm test` runs the quick ones, `npm run test:slow` the others: a file's name says which it is (CONTRIBUTING.md). */
export default defineConfig({
  test: {
    reporters: ["default", "./test/support/setup/LeftOutReporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // `--changed` follows imports. Tests read these as files, so a change of one runs all tests.
    forceRerunTriggers: [
      "**/{package.json,vitest.config.ts}",
      "**/{docs,examples,ops,schemas,topics}/**",
      "**/test/fixtures/**",
      "**/{*.md,.env.example,Dockerfile,docker-compose*.yml}"
    ],
    // Databases, brokers and child processes are real: more at once would only wait for one another.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.slow.test.ts"],
          // Files share their worker's modules: loading them for each file was a fifth of the CPU time.
          isolate: false,
          ...onPostgres
        }
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: ["test/**/*.slow.test.ts"],
          exclude: ["test/**/*.kafka.slow.test.ts", "test/**/*.browser.slow.test.ts"],
          ...onPostgres
        }
      },
      {
        // Of its own, so that a broker is started only where one of these tests runs.
        extends: true,
        test: {
          name: "slow-kafka",
          include: ["test/**/*.kafka.slow.test.ts"],
          globalSetup: [client, "test/support/setup/globalSetup.ts", "test/support/setup/kafkaSetup.ts"]
        }
      },
      {
        // Of its own, so that the dashboard is built only where one of these tests runs.
        extends: true,
        test: {
          name: "slow-browser",
          include: ["test/**/*.browser.slow.test.ts"],
          globalSetup: [client, "test/support/setup/globalSetup.ts", "test/support/setup/dashboardSetup.ts"]
        }
      },
      {
        // No test: it makes pictures (`npm run screenshots`).
        extends: true,
        test: {
          name: "screenshots",
          include: ["test/dashboard/screenshots.ts"],
          globalSetup: [client, "test/support/setup/globalSetup.ts", "test/support/setup/dashboardSetup.ts"]
        }
      }
    ]
  }
})
