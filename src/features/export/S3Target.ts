/**
 * S3-compatible storage as the target of an export. Credentials, region and endpoint are those of the AWS SDK: the
 * variables AWS_… of the environment or of `.env`, shared configuration files, the role of the machine. An object is
 * visible once its upload is complete. Parts that a killed run has uploaded are removed when the target is opened.
 * Loaded only for s3://.
 */

import { createReadStream } from "node:fs"
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  S3Client
} from "@aws-sdk/client-s3"
import { Upload } from "@aws-sdk/lib-storage"
import { Effect, FileSystem } from "effect"
import { type Environment, Settings } from "../../spine/config/Config.ts"
import type { Network } from "../../spine/event/Network.ts"
import { errorText } from "../../spine/observe/Logging.ts"
import { type Target, TargetError } from "./ExportTarget.ts"
import { exportLimits } from "./Limits.ts"
import { s3Checksums } from "./Settings.ts"

export interface Bucket {
  readonly bucket: string
  /** Without a slash at either end. */
  readonly prefix: string
}

/** What the SDK reads itself from the process, for variables that are only in `.env`. */
const clientOf = (environment: Environment, checksums: "WHEN_REQUIRED" | "WHEN_SUPPORTED"): S3Client => {
  const value = (name: string) => environment[name] || undefined
  const endpoint = value("AWS_ENDPOINT_URL_S3") ?? value("AWS_ENDPOINT_URL")
  const [accessKeyId, secretAccessKey] = [value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")]
  const sessionToken = value("AWS_SESSION_TOKEN")
  const region = value("AWS_REGION")
  return new S3Client({
    followRegionRedirects: true,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    maxAttempts: exportLimits.attempts,
    requestHandler: {
      connectionTimeout: exportLimits.connectMs,
      requestTimeout: exportLimits.requestMs,
      throwOnRequestTimeout: true
    },
    ...(region !== undefined && { region }),
    // Other servers than AWS rarely have a host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
      })
  })
}

interface Failure {
  readonly name?: string
  readonly message?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

const isAbsent = ({ name }: Failure): boolean => name === "NoSuchKey" || name === "NotFound"

/** One sentence. */
const errorOf = (name: string, error: unknown): TargetError => {
  // Errors of the SDK have these fields, and those of Node's sockets a code.
  const failure = error as Failure
  const status = failure.$metadata?.httpStatusCode
  const wrong = (message: string) => new TargetError({ message: `--out ${name}: ${message}`, mayPass: false })
  if (failure.name === "CredentialsProviderError")
    return wrong(
      "there are no AWS credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role."
    )
  if (failure.message === "Region is missing") return wrong("the region is not known; set AWS_REGION.")
  if (failure.name === "NoSuchBucket") return wrong("there is no such bucket; create it first.")
  const text = errorText(error).replace(/\.$/, "")
  // Refused as it is: only too many requests and a timeout pass.
  if (status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429)
    return wrong(`the storage refuses the request (${failure.name}): ${text}.`)
  return new TargetError({
    message: `--out ${name}: the storage cannot be used now: ${text}.`,
    mayPass: true
  })
}

export const openBucket = Effect.fnUntraced(function* (
  { bucket: Bucket, prefix }: Bucket,
  network: Network,
  environment: Environment
) {
  const fileSystem = yield* FileSystem.FileSystem
  const settings = yield* Settings
  // It has a default.
  const checksums = settings.of(s3Checksums)!
  const name = `s3://${Bucket}${prefix === "" ? "" : `/${prefix}`}`
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => clientOf(environment, checksums)),
    (opened) => Effect.sync(() => opened.destroy())
  )
  const call = <A>(request: (abortSignal: AbortSignal) => Promise<A>) =>
    Effect.tryPromise({ try: request, catch: (error) => errorOf(name, error) })
  /** Undefined if there is no such object. */
  const callFor = <A>(request: (abortSignal: AbortSignal) => Promise<A>) =>
    Effect.tryPromise({ try: request, catch: (error) => error }).pipe(
      // Errors of the SDK have a name.
      Effect.catch((error) =>
        isAbsent(error as Failure) ? Effect.succeed(undefined) : Effect.fail(errorOf(name, error))
      )
    )
  const keyOf = (path: string) => (prefix === "" ? path : `${prefix}/${path}`)
  const drafts = yield* fileSystem
    .makeTempDirectoryScoped({ prefix: "ledgerhook-export-" })
    .pipe(
      Effect.mapError(
        (error) =>
          new TargetError({ message: `the folder for temporary files: ${errorText(error)}.`, mayPass: true })
      )
    )

  const upload = (path: string, body: () => string | ReturnType<typeof createReadStream>) =>
    Effect.tryPromise({
      try: (signal) => {
        const running = new Upload({
          client,
          params: { Bucket, Key: keyOf(path), Body: body() },
          partSize: exportLimits.partBytes,
          queueSize: exportLimits.partsAtOnce
        })
        signal.addEventListener("abort", () => void running.abort())
        return running.done()
      },
      catch: (error) => errorOf(name, error)
    }).pipe(Effect.asVoid)

  // Also shows, before anything is read, that the storage can be used.
  for (let more = true; more; ) {
    const Prefix = `${keyOf(`network=${network}`)}/`
    const listed = yield* call((abortSignal) =>
      client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }), { abortSignal })
    )
    for (const { Key, UploadId } of listed.Uploads ?? [])
      yield* call((abortSignal) =>
        client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal })
      )
    more = listed.IsTruncated === true && (listed.Uploads?.length ?? 0) > 0
  }

  return {
    name,
    drafts,
    read: (path) =>
      callFor(async (abortSignal) => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(path) }), {
          abortSignal
        })
        return Body?.transformToString()
      }),
    size: (path) =>
      callFor(async (abortSignal) => {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(path) }), { abortSignal })
        return found.ContentLength
      }),
    write: (path, text) => upload(path, () => text),
    publish: (draft, path) =>
      Effect.andThen(
        upload(path, () => createReadStream(draft, { highWaterMark: exportLimits.partBytes })),
        fileSystem
          .remove(draft)
          .pipe(Effect.mapError((error) => new TargetError({ message: errorText(error), mayPass: true })))
      )
  } satisfies Target
})
