/**
 * Runs the service. If the start fails because PostgreSQL, Kafka or the schema registry is away (Away.ts), it says so, once
 * at once and then every minute, and tries again until they are there. Meanwhile the port of health is open. A later try
 * first asks both, so that the sentence names both, and nothing is started in vain. If the log goes back while the service
 * runs, all of it starts anew. A final error ends it.
 */
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { EarlierListener } from "../../http/Listener.ts"
import { type KafkaSettings, Settings } from "../../spine/config/Config.ts"
import { loadKafka } from "../../spine/log/kafka/LoadKafka.ts"
import { LogIsBack, LogWentBack, StartAnew } from "../../spine/log/StartAnew.ts"
import * as Sql from "../../spine/store/Sql.ts"
import { restartSchedule } from "../../spine/store/Supervised.ts"
import { monotonicNow } from "../../spine/words/Monotonic.ts"
import { type Away, awayOf } from "./Away.ts"
import type { Told } from "./Systemd.ts"
import { sentenceOf, waitingServer } from "./WaitingServer.ts"

/** How often an unchanged sentence is logged again. */
const SAID_EVERY_MS = 60_000

const kafkaAnswers = (kafka: KafkaSettings) => Effect.flatMap(loadKafka, ({ reachable }) => reachable(kafka))

const databaseAnswers = (command: string) =>
  Effect.scoped(Layer.build(Sql.unmigratedLayer({ command, owner: false, answerLimit: true })))

const failureOf = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.match(self, { onSuccess: () => undefined, onFailure: (error) => error })

/** `service` runs until it is interrupted. */
export const launch = <E, R>(
  command: string,
  service: Layer.Layer<never, E, R>,
  { said, started, stopping }: Told
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { databaseUrl, kafka } = yield* Settings
      const scope = yield* Effect.scope
      let waitsFor: ReadonlyArray<Away> = []
      let lastSaid = { names: "", atMs: 0 }
      let logIsBack = false
      let listener: Scope.Closeable | undefined

      const note = Effect.fnUntraced(function* (found: ReadonlyArray<Away>) {
        waitsFor = found
        const names = found.map(({ name }) => name).join()
        const nowMs = yield* monotonicNow
        if (names === lastSaid.names && nowMs - lastSaid.atMs < SAID_EVERY_MS) return
        lastSaid = { names, atMs: nowMs }
        yield* Effect.logWarning(sentenceOf(found))
        yield* said(sentenceOf(found))
      })

      const openPort = Effect.suspend(() => {
        if (listener !== undefined) return Effect.void
        return Effect.gen(function* () {
          listener = yield* Scope.fork(scope)
          yield* Layer.buildWithScope(
            waitingServer(() => waitsFor),
            listener
          )
        })
      })
      const closePort = Effect.suspend(() => {
        const opened = listener
        listener = undefined
        return opened === undefined ? Effect.void : Scope.close(opened, Exit.void)
      })

      /** Fails like the start if one of them is away. */
      const bothAnswer = Effect.gen(function* () {
        const asked = yield* Effect.all(
          [
            databaseUrl === undefined ? Effect.undefined : failureOf(databaseAnswers(command)),
            kafka === undefined ? Effect.undefined : failureOf(kafkaAnswers(kafka))
          ],
          { concurrency: "unbounded" }
        )
        const failures = asked.filter((failure) => failure !== undefined)
        const final = failures.find((failure) => awayOf(failure) === undefined)
        if (final !== undefined) return yield* Effect.fail(final)
        const away = failures.flatMap((failure) => awayOf(failure) ?? [])
        if (away.length > 0) yield* note(away)
        if (failures[0] !== undefined) return yield* Effect.fail(failures[0])
      })

      const startWith = (anew: Deferred.Deferred<never, LogWentBack>) =>
        Layer.build(service).pipe(
          Effect.provideService(EarlierListener, closePort),
          Effect.provideService(LogIsBack, logIsBack),
          Effect.provideService(StartAnew, (because) => Effect.asVoid(Deferred.fail(anew, because))),
          Effect.tapError((error) => {
            const away = awayOf(error)
            return away === undefined ? Effect.void : note([away])
          }),
          Effect.andThen(
            Effect.suspend(() =>
              waitsFor.length === 0
                ? Effect.void
                : Effect.logInfo("the wait is over, and the service has started")
            )
          ),
          Effect.andThen(started),
          Effect.andThen(Effect.onInterrupt(Deferred.await(anew), () => stopping)),
          Effect.scoped,
          Effect.tapError((error) => {
            if (!(error instanceof LogWentBack)) return Effect.void
            logIsBack = kafka === undefined
            return Effect.logError(error.message)
          })
        )
      const start = Effect.flatMap(Deferred.make<never, LogWentBack>(), startWith)

      return yield* Effect.suspend(() =>
        waitsFor.length === 0 ? start : Effect.andThen(bothAnswer, start)
      ).pipe(
        Effect.tapError((error) => (awayOf(error) === undefined ? Effect.void : openPort)),
        Effect.retry({
          while: (error) => error instanceof LogWentBack || awayOf(error) !== undefined,
          schedule: restartSchedule
        })
      )
    })
  )
