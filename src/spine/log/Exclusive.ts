/** `Log.exclusive` for the logs of one process: only the newest writer of a name may write. */
import { Effect } from "effect"
import { type Log, LogError, type Transaction } from "./Log.ts"

export const fenced = (name: string, topic = ""): LogError =>
  new LogError({
    operation: "fence",
    topic,
    cause: new Error(`the writer ${name} has failed before, or another one was opened`)
  })

export const makeExclusive = ({
  transaction
}: Pick<Log["Service"], "transaction">): Log["Service"]["exclusive"] => {
  const newest = new Map<string, object>()
  return (name) =>
    Effect.sync(() => {
      const writer = {
        transaction: (given: Transaction) =>
          Effect.suspend(() =>
            newest.get(name) === writer
              ? transaction(given)
              : Effect.fail(fenced(name, given.append[0]?.topic))
          )
      }
      newest.set(name, writer)
      return writer
    })
}
