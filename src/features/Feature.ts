/**
 * The face of a feature. `feature.ts` of each folder says what the feature is: it is loaded by every command, so it imports
 * commands and data only. `service.ts` beside it says what a running service gets from the feature, and is loaded by a
 * service and by the tools that read the contract. app/features.ts lists the faces; app folds the list.
 */
import { type Effect, Layer } from "effect"
import type { Command } from "effect/cli"
import type { HttpApiGroup } from "effect/http-api"
import type { ApiId } from "../http/FeatureContract.ts"
import type { FindPage } from "../http/Gate.ts"
import type { FeatureSetting, Role } from "../spine/config/Definitions.ts"
import type { ShownMetric } from "../spine/observe/MetricKinds.ts"
import { supervised, supervisedWithLease } from "../spine/store/Supervised.ts"

type AnyLayer = Layer.Layer<never, unknown, unknown>
type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type AnyGroups = ReadonlyArray<HttpApiGroup.Constraint>

interface CommandEntry {
  readonly command: Command.Command.Any
  /** Its place in the help, lowest first. */
  readonly place: number
  /** The command that it is a part of. Undefined: of `ledgerhook` itself. */
  readonly under: string | undefined
}

export const command = <C extends Command.Command.Any>(place: number, of: C, under?: string) => ({
  command: of,
  place,
  under
})

/** What runs in each process that has one of these roles. */
interface Stage {
  readonly roles: ReadonlyArray<Role>
  readonly layer: AnyLayer
}

/** A stage is restarted if it fails. With `lease`, one process at a time runs it: the one that holds the lease `name`. */
export const stage = <E, R>(
  name: string,
  roles: ReadonlyArray<Role>,
  run: Effect.Effect<unknown, E, R>,
  options: { readonly lease?: boolean } = {}
) => ({ roles, layer: options.lease === true ? supervisedWithLease(name, run) : supervised(name, run) })

/** Paths outside the contract, for GET. */
interface Routes {
  readonly paths: ReadonlyArray<string>
  readonly layer: AnyLayer
}

/** Answers browsers at paths that are not the API's. */
type Pages = Effect.Effect<FindPage, unknown, unknown>

/** What a running service gets from a feature. A part that is left out is empty. */
export const makeService = <
  const Groups extends AnyGroups = [],
  Handlers extends Layer.Layer<HttpApiGroup.ToService<ApiId, Groups[number]>, unknown, unknown> = Layer.Layer<
    HttpApiGroup.ToService<ApiId, Groups[number]>
  >,
  Stores extends AnyLayer = Layer.Layer<never>,
  const Stages extends ReadonlyArray<Stage> = [],
  const Upkeep extends ReadonlyArray<AnyEffect> = [],
  const OtherRoutes extends ReadonlyArray<Routes> = [],
  const OtherPages extends ReadonlyArray<Pages> = []
>(parts: {
  /** Groups of the contract, and the handlers of all of them. */
  readonly api?: { readonly groups: Groups; readonly handlers: Handlers }
  readonly stores?: Stores
  readonly stages?: Stages
  /** What one process at a time does for all: the one with the lease `retention`. */
  readonly upkeep?: Upkeep
  readonly routes?: OtherRoutes
  readonly pages?: OtherPages
}) => ({
  // The defaults of the types are the types of these values.
  api: parts.api ?? { groups: [] as unknown as Groups, handlers: Layer.empty as unknown as Handlers },
  stores: parts.stores ?? (Layer.empty as unknown as Stores),
  stages: parts.stages ?? ([] as unknown as Stages),
  upkeep: parts.upkeep ?? ([] as unknown as Upkeep),
  routes: parts.routes ?? ([] as unknown as OtherRoutes),
  pages: parts.pages ?? ([] as unknown as OtherPages)
})

const nothing = makeService({})

export const makeFeature = <
  const Commands extends ReadonlyArray<CommandEntry> = [],
  Service = typeof nothing
>(face: {
  readonly name: string
  readonly commands?: Commands
  readonly settings?: ReadonlyArray<FeatureSetting<unknown>>
  readonly metrics?: ReadonlyArray<ShownMetric>
  /** By `import()`, so that commands do not load it. */
  readonly service?: () => Promise<{ readonly service: Service }>
}) => ({
  name: face.name,
  commands: face.commands ?? ([] as unknown as Commands),
  settings: face.settings ?? [],
  metrics: face.metrics ?? [],
  service:
    face.service ??
    (() => Promise.resolve({ service: nothing }) as unknown as Promise<{ readonly service: Service }>)
})
