/** The messages that the scheduler takes and the commands that it returns. */

import type { BacklogKind } from "../../deliveries/DeliveryStore.ts"
import type { RegisteredWebhook } from "../../registry/WebhookRegistry.ts"
import type { WebhookId } from "../../words/Ids.ts"
import type { Share } from "../send/Attempt.ts"
import type { LaneKind, Sending, Work } from "../Work.ts"
import type { BacklogPage } from "./Backlog.ts"
import type { CurrentWebhook } from "./WebhookQueue.ts"

/** About one webhook. The first `offered` or `resumed` makes its queue; before it, other messages are ignored. */
export type WebhookMessage =
  /** `isSlow`: the lane did not take the work in time, so it is moved to the backlog. */
  (
    | {
        readonly kind: "offered"
        readonly current: CurrentWebhook | undefined
        readonly work: Work
        readonly isSlow?: boolean
      }
    /** The webhook has a backlog: its lanes begin, or continue, in mode `backlog`. */
    | { readonly kind: "resumed"; readonly current: CurrentWebhook | undefined }
    /** The webhook was changed or deleted, or its account's hold changed. */
    | { readonly kind: "changed"; readonly current: CurrentWebhook | undefined }
    | { readonly kind: "movedToBacklog"; readonly lane: LaneKind; readonly works: ReadonlyArray<Work> }
    | { readonly kind: "pageRead"; readonly lane: LaneKind; readonly page: BacklogPage }
    /** The webhook got the connection that it asked for. */
    | { readonly kind: "connected"; readonly share: Share }
    /** A connection may be free now, or the rate may allow a request. */
    | { readonly kind: "woken" }
    /** A batch may have waited long enough for more events. */
    | { readonly kind: "gathered" }
    | { readonly kind: "replayMayStart" }
    /** A delivery that holds back its lane may be due. */
    | { readonly kind: "due" }
    /** A request has ended. Its outcomes are not recorded yet. `holds`: a delivery of this lane will hold back others. */
    | { readonly kind: "ended"; readonly holds?: LaneKind | undefined }
    /** The request was not sent, because this machine lacked something. Nothing will be recorded. */
    | { readonly kind: "notSent"; readonly works: ReadonlyArray<Work> }
    /** All attempts of a request are recorded and their retries are appended. */
    | { readonly kind: "settled"; readonly works: ReadonlyArray<Work> }
  ) & { readonly webhookId: WebhookId }

export type ActorMessage =
  /**
   * Everything that was in the log at the start has been offered, so lanes may read their backlog in the right order.
   */
  | { readonly kind: "caughtUp"; readonly lane: LaneKind }
  /** The actor is stopping: start no new attempts. */
  | { readonly kind: "stopped" }

export type Command =
  /** Makes a request; `ended` and `settled` follow, or `notSent`. */
  | {
      readonly kind: "start"
      readonly webhook: RegisteredWebhook
      readonly sending: Sending
      readonly share: Share
    }
  /** `connected` follows when the webhooks are confirmed; if no connection is free then, `woken` follows later. */
  | { readonly kind: "connect"; readonly webhookId: WebhookId }
  /** Returns a connection that is not used. */
  | { readonly kind: "disconnect"; readonly share: Share }
  /** The message follows. */
  | {
      readonly kind: "wake"
      readonly webhookId: WebhookId
      readonly afterMs: number
      readonly message: "woken" | "gathered" | "due"
    }
  /** `replayMayStart` follows. */
  | { readonly kind: "askReplayStart"; readonly webhookId: WebhookId }
  /** `pageRead` follows. */
  | {
      readonly kind: "readPage"
      readonly webhookId: WebhookId
      readonly lane: LaneKind
      readonly rows: BacklogKind
      readonly afterId: string
      readonly limit: number
    }
  /** Moves rows to the backlog, or ends them if the webhook is deleted; `movedToBacklog` follows. */
  | {
      readonly kind: "moveToBacklog"
      readonly webhookId: WebhookId
      readonly lane: LaneKind
      readonly works: ReadonlyArray<Work>
    }
  /** Nothing of the webhook is in memory. */
  | { readonly kind: "forget"; readonly webhookId: WebhookId }
