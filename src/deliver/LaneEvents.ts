/** What happens to an actor's lanes, and what they want done: values, which LaneMachine takes and returns. */
import type { BacklogKind } from "../storage/deliveries/DeliveryStore.ts"
import type { RegisteredWebhook } from "../webhooks/WebhookRegistry.ts"
import type { BacklogPage } from "./Backlog.ts"
import type { Share } from "./ConnectionLimiter.ts"
import type { CurrentWebhook, LaneKind, Work } from "./Lane.ts"

/** The machine knows a webhook from its first `offered` or `resumed` on. Until then other events of it change nothing. */
export type LaneEvent = (
  | { readonly kind: "offered"; readonly current: CurrentWebhook | undefined; readonly work: Work }
  /** Rows of it were parked before the actor began: what is offered is refused from now on. */
  | { readonly kind: "resumed"; readonly current: CurrentWebhook | undefined }
  /** It is another, or deleted, or its account's deliveries wait or go on. */
  | { readonly kind: "changed"; readonly current: CurrentWebhook | undefined }
  /** The rows of so much refused work are its only memory. */
  | { readonly kind: "refusedSpilled"; readonly lane: LaneKind; readonly works: number }
  /** What was taken from the log long ago still waits, and holds its offsets back. */
  | { readonly kind: "overdue"; readonly lane: LaneKind }
  | { readonly kind: "queueSpilled"; readonly lane: LaneKind; readonly works: ReadonlyArray<Work> }
  | { readonly kind: "pageRead"; readonly lane: LaneKind; readonly page: BacklogPage }
  /** It may use one connection more. */
  | { readonly kind: "connected"; readonly share: Share }
  /** There may be the connection, or the token of its rate, that it lacked. */
  | { readonly kind: "woken" }
  /** Its replays' turn has come. */
  | { readonly kind: "replayMayStart" }
  /** An attempt, whose outcome is yet to be recorded. */
  | { readonly kind: "attemptEnded"; readonly share: Share }
  /** An attempt is recorded, and its retry queued. */
  | { readonly kind: "settled"; readonly work: Work }
) & { readonly webhookId: string }

/** What happens to the whole of them. */
export type ActorEvent =
  /** All that was in their log at the start has been offered: part of it comes before what is parked already. */
  | { readonly kind: "caughtUp"; readonly lane: LaneKind }
  /** Nothing new starts. */
  | { readonly kind: "stopped" }

export type Command =
  /** Makes an attempt; `attemptEnded` and `settled` follow. */
  | {
      readonly kind: "start"
      readonly webhook: RegisteredWebhook
      readonly work: Work
      readonly share: Share
    }
  /** `connected` follows at once, or else `woken` when it may be tried again. */
  | { readonly kind: "connect"; readonly webhook: RegisteredWebhook }
  /** The connection is free for others. */
  | { readonly kind: "disconnect"; readonly share: Share }
  /** `woken` follows. */
  | { readonly kind: "wake"; readonly webhookId: string; readonly afterMs: number }
  /** `replayMayStart` follows. */
  | { readonly kind: "askReplayStart"; readonly webhookId: string }
  /** `pageRead` follows. */
  | {
      readonly kind: "readPage"
      readonly webhookId: string
      readonly lane: LaneKind
      readonly rows: BacklogKind
      readonly afterId: string
      readonly limit: number
    }
  /** Makes their rows the only memory of works; `queueSpilled` follows. */
  | {
      readonly kind: "spill"
      readonly webhookId: string
      readonly lane: LaneKind
      readonly works: ReadonlyArray<Work>
    }
  /** The offered work was not taken: it must be parked, and `refusedSpilled` must follow. */
  | { readonly kind: "refuse" }
  /** The work's record in the log is done with. */
  | { readonly kind: "acknowledge"; readonly work: Work }
  /** The webhook is deleted, and nothing of it is held. */
  | { readonly kind: "forget"; readonly webhookId: string }
