/** What the Kafka client's errors say. Pure. */

/** The innermost of the client's nested errors says what happened, and often the cluster in words of its own. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  const said = "serverErrorMessage" in error ? error.serverErrorMessage : undefined
  return typeof said === "string" && said !== "" ? said : error.message
}
