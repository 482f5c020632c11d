/** What a real cluster answers to a member that it has expelled: the member's commits are refused for good. */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { DELIVERIES_TOPIC } from "../../../../src/spine/domain/Delivery.ts"
import { makeChannels } from "../../../../src/spine/log/kafka/Channel.ts"
import {
  commitOffset,
  hasMemberBefore,
  heartbeat,
  isFenced,
  leave,
  newMember
} from "../../../../src/spine/log/kafka/Member.ts"
import { topicName } from "../../../../src/spine/log/kafka/Names.ts"
import { clientOptions } from "../../../../src/spine/log/kafka/Options.ts"
import { makeReader } from "../../../../src/spine/log/kafka/Reader.ts"
import { RELEASE } from "../../../../src/spine/log/Log.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"

describe.skipIf(kafkaBrokers().length === 0)("a member of a consumer group", () => {
  it.live("cannot commit any more after it was expelled, and knows that it is fenced", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor((topic) => topic === DELIVERIES_TOPIC)
      const channel = yield* makeChannels(clientOptions(kafka))
      const topic = topicName(kafka, DELIVERIES_TOPIC)
      const group = `${kafka.topicPrefix}members`
      const options = { group, topics: [topic], together: false }
      const commit = (member: ReturnType<typeof newMember>, offset: number) =>
        commitOffset(channel, group, member, { topic, partition: 0, offset })
      const assigned = (member: ReturnType<typeof newMember>) =>
        heartbeat(channel, options, member, []).pipe(
          Effect.repeat({
            until: (got) => got !== undefined && got.length > 0,
            schedule: Schedule.spaced(100)
          })
        )

      const first = newMember()
      yield* assigned(first)
      yield* commit(first, 1)
      yield* leave(channel, options, first)
      const second = newMember()
      yield* assigned(second)
      yield* commit(second, 2)

      assert.isTrue(isFenced(yield* Effect.flip(commit(first, 1))))
      assert.isTrue(isFenced(yield* Effect.flip(heartbeat(channel, options, first, []))))
      assert.isFalse(yield* hasMemberBefore(RELEASE, channel, group))
      assert.isTrue(yield* hasMemberBefore("0.5", channel, group))
      const older = { ...newMember(), id: `member-${randomUUID()}` }
      yield* heartbeat(channel, options, older, [])
      assert.isTrue(yield* hasMemberBefore(RELEASE, channel, group))
      yield* leave(channel, options, older)
      assert.isFalse(yield* hasMemberBefore(RELEASE, channel, group))
      assert.isFalse(yield* hasMemberBefore(RELEASE, channel, `${group}.never-made`))
      const nowhere = { ...options, group: `${group}.never-made` }
      assert.isTrue(isFenced(yield* Effect.flip(heartbeat(channel, nowhere, first, []))))
      const { committed } = makeReader(channel, (name) => topicName(kafka, name))
      const found = yield* committed(group, { topic: DELIVERIES_TOPIC, partition: 0 })
      assert.deepStrictEqual(found, { offset: 2, topicId: undefined })
    }).pipe(Effect.scoped)
  )
})
