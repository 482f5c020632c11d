/** `/v1/account/notices`. The service posts to the URL, so it has the rules of webhooks' URLs. */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { change } from "../../http/Change.ts"
import { Caller } from "../../http/ContractParts.ts"
import { NotFound, NoticeTestWaiting } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { calledUrl } from "../../spine/domain/EndpointUrl.ts"
import { generateSecret } from "../../spine/domain/WebhookSecret.ts"
import { SecretBox } from "../../spine/store/secrets/SecretBox.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { Notices } from "./NoticesContract.ts"
import { noticeUrlRules } from "./NoticeUrlRules.ts"
import { NoticeStore, type NoticeUrlSeen } from "./notify/NoticeStore.ts"
import { noticeId, noticeTypes, testNotice } from "./notify/Notices.ts"

const noUrl = NotFound.because("The account has no URL for notices; set one with PUT /v1/account/notices.")

const testWaits = NoticeTestWaiting.because(
  "A test notice of this account waits to be sent; try again when it has been answered, in some seconds."
)

const shown = ({ createdAt, format, last, types, updatedAt, url }: NoticeUrlSeen) => ({
  url,
  format,
  types,
  created_at: iso(createdAt),
  updated_at: iso(updatedAt),
  last_notice:
    last === null
      ? null
      : {
          type: last.type,
          created_at: iso(last.createdAt),
          sent_at: last.sentAt === null ? null : iso(last.sentAt),
          attempts: last.attempts,
          error: last.error
        }
})

export const noticesLayer = HttpApiBuilder.group(
  contractOf(Notices),
  "notices",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const notices = yield* NoticeStore
    const secrets = yield* SecretBox

    const find = Effect.fnUntraced(function* () {
      const { accountId } = yield* Caller
      const found = yield* notices.find(accountId)
      return Option.isNone(found) ? yield* noUrl : found.value
    })

    return handlers.handleAll({
      get: () => orUnavailable(Effect.map(find(), shown)),

      set: Effect.fnUntraced(function* ({ payload }) {
        const { accountId } = yield* Caller
        const { format = "standard", types = noticeTypes } = payload
        yield* checkRules(noticeUrlRules, payload, settings)
        const isSigned = format === "standard"
        const kept = Option.getOrUndefined(yield* notices.find(accountId))?.sealedSecret ?? null
        const secret = payload.secret ?? (isSigned && kept === null ? generateSecret() : undefined)
        const sealedSecret = !isSigned ? null : secret === undefined ? kept : secrets.seal(secret)
        const given = { url: calledUrl(payload.url), format, types: [...new Set(types)], sealedSecret }
        const written = yield* notices.set(accountId, given, yield* Clock.currentTimeMillis)
        return { ...shown(written), ...(secret === undefined ? {} : { secret }) }
      }, orUnavailable),

      remove: Effect.fnUntraced(function* () {
        const { accountId } = yield* Caller
        if (!(yield* notices.remove(accountId))) return yield* noUrl
      }, orUnavailable),

      test: Effect.fnUntraced(function* () {
        const { accountId } = yield* Caller
        yield* find()
        const now = yield* Clock.currentTimeMillis
        const cause = `notice-test/${randomUUID()}`
        const queued = yield* change(notices.queueTest({ ...testNotice(accountId), accountId, cause }, now))
        if (!queued) return yield* testWaits
        return { notice_id: noticeId(cause) }
      }, orUnavailable)
    })
  })
)
