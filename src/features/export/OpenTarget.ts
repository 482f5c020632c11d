/** `--out`: a folder or `s3://BUCKET/PREFIX`, and its opening for the only export that writes there. */
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { Network } from "../../spine/event/Network.ts"
import { trySessionLock } from "../../spine/log/SessionLock.ts"
import { Invocation } from "../../terminal/Invocation.ts"
import { TargetError } from "./ExportTarget.ts"
import { openFolder } from "./FolderTarget.ts"

export type Out =
  | { readonly _tag: "Folder"; readonly folder: string }
  /** `prefix` without a slash at either end. */
  | { readonly _tag: "Bucket"; readonly bucket: string; readonly prefix: string }

export const parseOut = (text: string): Out | undefined => {
  if (!/^[a-z0-9]+:\/\//i.test(text)) return text === "" ? undefined : { _tag: "Folder", folder: text }
  const [, bucket, prefix = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? []
  return bucket === undefined
    ? undefined
    : { _tag: "Bucket", bucket, prefix: prefix.replace(/^\/+|\/+$/g, "") }
}

export const outFlag = Flag.String("out").pipe(
  Flag.withMetavar("FOLDER|s3://BUCKET/PREFIX"),
  Flag.withDescription("Where the files go. A folder is created if it does not exist, a bucket is not"),
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseOut(text)),
    () => "a folder, or s3:// with the name of a bucket and, if wanted, a prefix"
  )
)

/** Which exports exclude each other. Also for two names of one folder. */
const lockOf = (out: Out, network: Network): string => {
  const place = out._tag === "Folder" ? resolve(out.folder) : `s3://${out.bucket}/${out.prefix}`
  return `export-${createHash("sha256").update(`${network} ${place}`).digest("hex")}`
}

/** Fails if another process on this database exports the network to the same place. */
export const openTarget = Effect.fnUntraced(function* (out: Out, network: Network) {
  if (!(yield* trySessionLock(lockOf(out, network))))
    return yield* new TargetError({
      message: `another export of ${network} writes to the same place; one at a time may do so.`,
      mayPass: true
    })
  if (out._tag === "Folder") return yield* openFolder(out.folder, network)
  const { environment } = yield* Invocation
  const { openBucket } = yield* Effect.promise(() => import("./S3Target.ts"))
  return yield* openBucket(out, network, environment)
})
