/** Receives Ledgerhook's webhooks: decompresses, verifies and parses requests, ignores duplicates, sorts events. */
export { decompress } from "./compression.ts"
export { deduplicate, memoryStore, type Once, type SeenStore } from "./duplicates.ts"
export { BodyError, ParseError } from "./errors.ts"
export {
  type EventOf,
  type KnownEvent,
  type LedgerhookEvent,
  parse,
  parseAll,
  type Received,
  type ReceivedEnvelope,
  type UnknownEvent
} from "./events.ts"
export * from "./generated/events.ts"
export { type Answer, createReceiver, type Receiver, type ReceiverOptions } from "./receiver.ts"
export { type Gap, type GapOptions, gaps, sequenceOf, sortBySequence } from "./sequences.ts"
export {
  type HeaderSource,
  type Refusal,
  refusalOf,
  type Scheme,
  type SignedRequest,
  type VerifyOptions,
  verify
} from "./signature.ts"
