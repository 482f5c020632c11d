/**
 * The time of a simulation with several processes. It stands still while anything can happen without time, then
 * jumps to the next moment for which a fiber sleeps. What happens outside (a statement on a real database) stops
 * time, and its answer arrives when everything else has come to rest. So one seed always gives one order of events.
 *
 * A process that is killed or frozen gets no turn: its sleeps do not end and its answers do not arrive, at once and
 * wherever it stands, as with SIGKILL and SIGSTOP. What it has sent before still arrives elsewhere.
 */
import { setImmediate } from "node:timers/promises"
import { Clock, Duration, Effect, type Exit, Fiber, Latch } from "effect"

/** After so many iterations of the event loop in which nothing is under way, every fiber waits. */
const CALM_TURNS = 6
const NANOS_PER_MS = 1_000_000n

export interface Process {
  readonly name: string
  readonly clock: Clock.Clock
  readonly isAlive: () => boolean
  readonly isFrozen: () => boolean
  /** Passes at once, or when the process is thawed; never if it was killed. */
  readonly turn: Effect.Effect<void>
  readonly kill: () => void
  /** Passes when it has been killed. */
  readonly death: Effect.Effect<void>
  readonly freeze: () => void
  readonly thaw: () => void
  /** Sets its wall clock ahead or back. */
  readonly step: (ms: number) => void
}

interface Sleeper {
  readonly atMs: number
  readonly process: Process
  readonly wake: () => void
}

interface Answer {
  readonly process: Process
  readonly arrive: () => void
  /** Arrives although the process is frozen: what holds the database must end. */
  readonly urgent: boolean
}

export interface Timeline {
  readonly nowMs: () => number
  /** All processes were suspended: their clocks move forward. */
  readonly jump: (ms: number) => void
  /** Sets the wall clocks of all processes. */
  readonly step: (ms: number) => void
  /** `skewMs`: how far the wall clock of the process is ahead. */
  readonly process: (name: string, skewMs?: number) => Process
  /** Runs an effect outside the simulation, for a process. */
  readonly outside: (
    process: Process,
    urgent?: boolean
  ) => <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Runs the effect to its end. Dies if that takes more than `limitMs` of simulated time. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>, limitMs: number) => Effect.Effect<A, E>
}

export const makeTimeline = (startMs: number): Timeline => {
  let now = startMs
  let stepped = 0
  let sleepers: Array<Sleeper> = []
  let answers: Array<Answer> = []
  let underWay = 0
  let ended = () => {}

  const isAwake = ({ process }: { readonly process: Process }) => process.isAlive() && !process.isFrozen()

  const makeProcess = (name: string, skewMs = 0): Process => {
    let alive = true
    const running = Latch.makeUnsafe(true)
    const dead = Latch.makeUnsafe(false)
    let frozen = false
    const nanos = () => BigInt(now) * NANOS_PER_MS
    let aheadMs = skewMs
    const wallMs = () => now + stepped + aheadMs
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: wallMs,
      currentTimeMillis: Effect.sync(wallMs),
      currentTimeNanosUnsafe: () => BigInt(wallMs()) * NANOS_PER_MS,
      currentTimeNanos: Effect.sync(() => BigInt(wallMs()) * NANOS_PER_MS),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback((resume) => {
          const atMs = now + Math.ceil(Duration.toMillis(duration))
          const sleeper = { atMs, process: self, wake: () => resume(Effect.void) }
          if (alive) sleepers.push(sleeper)
          return Effect.sync(() => {
            sleepers = sleepers.filter((one) => one !== sleeper)
          })
        })
    }
    const self: Process = {
      name,
      clock,
      isAlive: () => alive,
      isFrozen: () => frozen,
      turn: Effect.suspend(() => (alive && !frozen ? Effect.void : Latch.await(running))),
      death: Latch.await(dead),
      kill: () => {
        alive = false
        dead.openUnsafe()
        running.closeUnsafe()
        sleepers = sleepers.filter(({ process }) => process !== self)
      },
      freeze: () => {
        frozen = true
        running.closeUnsafe()
      },
      thaw: () => {
        frozen = false
        if (alive) running.openUnsafe()
      },
      step: (ms) => {
        aheadMs += ms
      }
    }
    return self
  }

  const calm = async () => {
    for (let turns = 0; turns < CALM_TURNS; turns++) {
      await setImmediate()
      if (underWay === 0) continue
      await new Promise<void>((resolve) => {
        ended = resolve
      })
      turns = 0
    }
  }

  /** Lets one answer arrive. False if there is none. */
  const deliverAnswer = (): boolean => {
    answers = answers.filter(({ process }) => process.isAlive())
    const next = answers.find((answer) => answer.urgent || isAwake(answer))
    if (next === undefined) return false
    answers = answers.filter((one) => one !== next)
    next.arrive()
    return true
  }

  const pass = () => {
    const awake = sleepers.filter(isAwake)
    if (awake.length === 0) throw new Error("no process waits for time, and none runs")
    now = Math.max(
      now,
      awake.reduce((first, { atMs }) => Math.min(first, atMs), Number.POSITIVE_INFINITY)
    )
    const due = awake.filter(({ atMs }) => atMs <= now)
    sleepers = sleepers.filter((one) => !due.includes(one))
    for (const { wake } of due) wake()
  }

  const world = makeProcess("world")
  return {
    nowMs: () => now,
    jump: (ms) => {
      now += ms
    },
    step: (ms) => {
      stepped += ms
    },
    process: makeProcess,
    outside:
      (process, urgent = false) =>
      <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.callback<A, E>((resume) => {
          underWay++
          // The outside knows nothing of simulated time.
          Effect.runCallback(effect, {
            onExit: (exit: Exit.Exit<A, E>) => {
              answers.push({ process, urgent, arrive: () => resume(exit) })
              if (--underWay === 0) ended()
            }
          })
        }).pipe(Effect.uninterruptible),
    run: (effect, limitMs) =>
      Effect.gen(function* () {
        const end = now + limitMs
        const fiber = yield* Effect.forkChild(Effect.provideService(effect, Clock.Clock, world.clock))
        const isOver = () => fiber.pollUnsafe() !== undefined
        while (true) {
          yield* Effect.promise(calm)
          if (isOver()) break
          if (deliverAnswer()) continue
          if (now > end) throw new Error(`not over after ${limitMs} ms`)
          pass()
        }
        return yield* Fiber.join(fiber)
      })
  }
}
