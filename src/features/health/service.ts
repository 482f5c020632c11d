/** What a running service gets from the feature. */
import { Layer } from "effect"
import { WorkNotices } from "../../spine/store/outbox/WorkNotices.ts"
import { supervised } from "../../spine/store/Supervised.ts"
import { makeService } from "../Feature.ts"
import { keepHealth } from "./HealthUpkeep.ts"
import { Incidents } from "./IncidentsContract.ts"
import { incidentsLayer } from "./IncidentsHandlers.ts"
import { Notices } from "./NoticesContract.ts"
import { noticesLayer } from "./NoticesHandlers.ts"
import { Mailer } from "./notify/Mailer.ts"
import { MailStore } from "./notify/MailStore.ts"
import { NoticeStore } from "./notify/NoticeStore.ts"
import { notify } from "./notify/Notify.ts"
import { UrlSender } from "./notify/UrlSender.ts"

export const service = makeService({
  api: { groups: [Incidents, Notices], handlers: Layer.merge(incidentsLayer, noticesLayer) },
  stores: Layer.merge(MailStore.layer, NoticeStore.layer),
  stages: [
    {
      roles: ["api", "deliver"],
      layer: supervised("mail", notify).pipe(
        Layer.provide([Mailer.layer, UrlSender.layer, WorkNotices.layer])
      )
    }
  ],
  upkeep: [keepHealth]
})
