/**
 * Sends one notice to its account's URL, with deliver's sender: the same check of addresses, redirects are not followed,
 * little of the response is read. `standard` is signed as Standard Webhooks asks, with the same `webhook-id` at every
 * attempt.
 */
import { Clock, Context, Data, Effect, Layer, Option, type Scope } from "effect"
import packageJson from "../../../../package.json" with { type: "json" }
import { Sender } from "../../../spine/deliver/send/Sender.ts"
import { type SignedRequest, standardSignature } from "../../../spine/deliver/send/Signer.ts"
import { unixSeconds } from "../../../spine/domain/RequestHeaders.ts"
import { standardKey } from "../../../spine/domain/Signing.ts"
import { retryUntilSuccess } from "../../../spine/observe/RetryUntilSuccess.ts"
import { SecretBox } from "../../../spine/store/secrets/SecretBox.ts"
import { type LeasedNotice, NoticeStore, type NoticeUrl } from "./NoticeStore.ts"
import { noticeBody, noticeId, TEST_NOTICE } from "./Notices.ts"

/** Bytes of a response that are read. */
const RESPONSE_BYTES = 1_024

export class NoticeError extends Data.TaggedError("NoticeError")<{
  readonly message: string
  /** Do not retry. */
  readonly refused: boolean
}> {}

/** `key`: in base64; undefined if the format has no signature. */
const requestOf = (
  notice: LeasedNotice,
  { format, url }: Pick<NoticeUrl, "format" | "url">,
  key: string | undefined,
  nowMs: number
): SignedRequest => {
  const id = noticeId(notice.cause)
  const seconds = unixSeconds(nowMs)
  const body = noticeBody(format, notice, notice.createdAt.getTime())
  return {
    url: new URL(url),
    body,
    headers: {
      "User-Agent": `Ledgerhook/${packageJson.version}`,
      "Accept-Encoding": "identity",
      "Content-Type": "application/json",
      ...(key === undefined
        ? undefined
        : {
            "webhook-id": id,
            "webhook-timestamp": seconds,
            "webhook-signature": standardSignature(key, id, seconds, body)
          })
    }
  }
}

export class UrlSender extends Context.Service<
  UrlSender,
  { readonly send: (notice: LeasedNotice) => Effect.Effect<void, NoticeError> }
>()("ledgerhook/notify/UrlSender") {
  static readonly layer = Layer.effect(
    UrlSender,
    Effect.gen(function* () {
      const notices = yield* NoticeStore
      const { open } = yield* SecretBox
      // With the first notice: a process that only has the API does not need undici before.
      const context = yield* Effect.context<Layer.Services<typeof Sender.layer> | Scope.Scope>()
      const sender = yield* Effect.cached(
        Effect.map(Layer.build(Sender.layer), (built) => Context.get(built, Sender)).pipe(
          Effect.provideContext(context),
          // An interrupted result would be kept.
          Effect.uninterruptible
        )
      )
      const send = Effect.fnUntraced(function* (notice: LeasedNotice) {
        const nowMs = yield* Clock.currentTimeMillis
        // Whoever tries the URL sees the result at once.
        const failed = (message: string, refused = notice.type === TEST_NOTICE) =>
          new NoticeError({ message, refused })
        const target = yield* notices
          .target(notice.accountId)
          .pipe(retryUntilSuccess("reading an account's URL for notices"))
        if (Option.isNone(target)) return yield* failed("the account has no URL any more", true)
        const { sealedSecret } = target.value
        const secret =
          sealedSecret === null
            ? ""
            : yield* Effect.mapError(Effect.fromResult(open(sealedSecret)), () =>
                // The customer sees it.
                failed("the service cannot read the secret at present")
              )
        const request = requestOf(notice, target.value, standardKey(secret), nowMs)
        const post = yield* (yield* sender).opened
        const error = yield* Effect.callback<string | null>((resume) =>
          post(notice.accountId, request, RESPONSE_BYTES, (outcome) =>
            resume(
              Effect.succeed("shortage" in outcome ? "not sent: the service lacks resources" : outcome.error)
            )
          )
        )
        if (error !== null) yield* failed(error)
      }, Effect.scoped)
      return UrlSender.of({ send })
    })
  )
}
