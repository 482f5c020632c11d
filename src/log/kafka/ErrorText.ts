/** Texts for the Kafka client's errors. Pure. */
import { plainMessage } from "../../domain/ConnectionFailure.ts"

/** The innermost of the client's nested errors names the cause. If the cluster sent a message, that is used. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  const said = "serverErrorMessage" in error ? error.serverErrorMessage : undefined
  return typeof said === "string" && said !== "" ? said : plainMessage(error.message)
}
