/**
 * Prints at the end of a run which tests were skipped here and why, so that a green run cannot hide them. Writes the
 * files that failed to the file that `FAILED_FILES` names, for `.ci/run`, which runs them again.
 */
import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule } from "vitest/node"
import { missing } from "../../kafka/broker.ts"

/** The suite's title says why it was skipped; for a test without a suite, the test's own title does. */
const titleOf = ({ parent, fullName }: TestCase): string =>
  parent.type === "suite" ? parent.fullName : fullName

/** Kafka only: the titles of other tests already say what they need. */
const whyOfKafka = (titles: Iterable<string>): ReadonlyArray<string> => {
  const lacking = missing()
  return lacking === undefined || ![...titles].some((title) => /\.kafka\.slow\.test\.ts/.test(title))
    ? []
    : [
        `Kafka's want ${lacking}, Docker or KAFKA_BROKERS; some start a broker of their own and want the first.`
      ]
}

export default class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = new Map<string, number>()
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const whole = [...test.parent.children.allTests()].every((one) => one.result().state === "skipped")
        const title = `${module.relativeModuleId}: ${whole ? titleOf(test) : test.fullName}`
        counts.set(title, (counts.get(title) ?? 0) + 1)
      }
    }
    const lines = [
      ...Array.from(counts, ([title, count]) => `  ${title} (${count})`),
      ...whyOfKafka(counts.keys())
    ]
    process.stdout.write(
      lines.length === 0
        ? "\nNothing was left out.\n"
        : `\nLeft out on this machine, with the number of tests:\n${lines.join("\n")}\n`
    )
    const list = process.env["FAILED_FILES"]
    if (list !== undefined)
      writeFileSync(
        list,
        modules.flatMap((module) => (module.ok() ? [] : `${module.relativeModuleId}\n`)).join("")
      )
    if (modules.every(({ project }) => project.name.startsWith("quick"))) {
      process.stdout.write("Files named *.slow.test.ts are run by `npm run test:all`.\n")
    }
  }
}
