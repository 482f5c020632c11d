/** The search among as many webhooks as a large account has. */
import { layer } from "@effect/vitest"
import { apiLayer } from "../../support/http/api.ts"
import { answersAmong } from "./searching.ts"

layer(apiLayer(), { excludeTestServices: true })("the search for webhooks", (it) => {
  it.effect("answers among 100,000 webhooks", () => answersAmong(100_000), 60_000)
})
