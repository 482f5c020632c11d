import { defineConfig } from "vitest/config"

const KAFKA_TESTS = "test/**/*.kafka.test.ts"

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/LeftOutReporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Databases, brokers and child processes are real: more at once would only wait for one another.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["test/**/*.test.ts"],
          exclude: [KAFKA_TESTS],
          globalSetup: ["test/support/globalSetup.ts"]
        }
      },
      {
        // Of their own, so that a broker is started only where one of them runs.
        extends: true,
        test: {
          name: "kafka",
          include: [KAFKA_TESTS],
          globalSetup: ["test/support/globalSetup.ts", "test/support/kafkaSetup.ts"]
        }
      }
    ]
  }
})
