/** What is wrong with a request, apart from its signature. Each message is one sentence for a log or an answer. */

/** The body, or a header of a CloudEvent, is not what the service sends. The message names the field. */
export class ParseError extends Error {
  override readonly name = "ParseError"
}

/** The body cannot be decompressed. `status` says how to answer. */
export class BodyError extends Error {
  override readonly name = "BodyError"
  readonly status: 400 | 413 | 415

  constructor(status: 400 | 413 | 415, message: string) {
    super(message)
    this.status = status
  }
}

/** A body parser has read the bytes that the signature covers. */
export const parsedBefore = (): Error =>
  new Error("The body was parsed before Ledgerhook's handler: mount the handler before any body parser.")

export const tooLargeText = (maxBytes: number): string => `The body is larger than ${maxBytes} bytes.`
