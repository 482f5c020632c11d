/** `events export` to an S3 server: the same bytes as in a folder, also after a run that was cut off. */

import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Target } from "../../../src/features/export/ExportTarget.ts"
import { exportLimits } from "../../../src/features/export/Limits.ts"
import { openBucket } from "../../../src/features/export/S3Target.ts"
import { memoryLayer } from "../../support/ledger/ingesting.ts"
import { runCommand } from "../../support/program/command.ts"
import { makeFolder } from "../../support/program/makeFolder.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { hasS3Server, makeS3Server } from "../../support/servers/s3Server.ts"
import { databaseUrl, makeDatabase } from "../../support/store/postgres.ts"
import { exported, exportTo, FIRST, filesIn, simulatedLedgers, take } from "./exporting.ts"

const all = { to: { _tag: "Ledger", index: FIRST + 39 } } as const
const place = { bucket: "warehouse", prefix: "lake/xrpl" }

describe.skipIf(!hasS3Server)(`events export to S3${hasS3Server ? "" : " (no versitygw here)"}`, () => {
  it.live("writes the same bytes as to a folder, and continues a run that was cut off at any object", () =>
    Effect.gen(function* () {
      yield* take(simulatedLedgers(40, 8))
      const folder = yield* makeFolder
      yield* exported(folder, all)
      const server = yield* makeS3Server
      yield* server.start
      const open = openBucket(place, "mainnet", server.environment)
      /** Dies before the upload with that number. */
      const dying = (target: Target, uploads: number): Target => {
        let left = uploads
        const cut = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.suspend(() => (--left < 0 ? Effect.die("cut off") : effect))
        return {
          ...target,
          publish: (draft, path) => cut(target.publish(draft, path)),
          write: (path, text) => cut(target.write(path, text))
        }
      }
      const objects = join(server.folder, place.prefix)
      for (const uploads of [1, 15, 18, 20, 30]) {
        const cut = yield* Effect.flatMap(open, (target) => exportTo(dying(target, uploads), all)).pipe(
          Effect.scoped,
          Effect.exit
        )
        assert.strictEqual(cut._tag, "Failure")
        // What is visible is whole.
        const whole = filesIn(folder)
        for (const [path, hash] of Object.entries(filesIn(objects)))
          if (!path.endsWith("_manifest.json")) assert.strictEqual(hash, whole[path], path)
      }
      const run = Effect.scoped(Effect.flatMap(open, (target) => exportTo(target, all)))
      assert.isTrue((yield* run).ok)
      assert.deepStrictEqual(filesIn(objects), filesIn(folder))
      const again = yield* run
      assert.deepStrictEqual([again.periods, again.periods_kept, again.files], [0, 2, 0])
    }).pipe(
      Effect.provide(memoryLayer()),
      Effect.provide(settingsLayer()),
      Effect.provide(NodeServices.layer),
      Effect.scoped
    )
  )

  it.live("uploads a large file in parts, and removes the parts of a run that was killed", () =>
    Effect.gen(function* () {
      const server = yield* makeS3Server
      yield* server.start
      const { AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_SECRET_ACCESS_KEY } = server.environment
      const client = new S3Client({
        endpoint: AWS_ENDPOINT_URL_S3,
        region: AWS_REGION,
        forcePathStyle: true,
        credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }
      })
      const [Bucket, Key] = [place.bucket, `${place.prefix}/network=mainnet/left`]
      const uploads = Effect.promise(() => client.send(new ListMultipartUploadsCommand({ Bucket })))
      yield* Effect.promise(() => client.send(new CreateMultipartUploadCommand({ Bucket, Key })))
      assert.lengthOf((yield* uploads).Uploads ?? [], 1)

      const target = yield* openBucket(place, "mainnet", server.environment)
      assert.lengthOf((yield* uploads).Uploads ?? [], 0)
      const draft = join(yield* makeFolder, "large")
      const bytes = Buffer.alloc(exportLimits.partBytes * 2.5, "0123456789abcdef-")
      writeFileSync(draft, bytes)
      yield* target.publish(draft, "large")
      assert.isTrue(readFileSync(join(server.folder, place.prefix, "large")).equals(bytes))
      assert.strictEqual(yield* target.size("large"), bytes.length)
    }).pipe(Effect.provide(settingsLayer()), Effect.provide(NodeServices.layer), Effect.scoped)
  )

  it.live("says in one sentence why the storage cannot be used", () =>
    Effect.gen(function* () {
      const server = yield* makeS3Server
      yield* server.start
      const DATABASE_URL = databaseUrl(yield* makeDatabase)
      const { AWS_ENDPOINT_URL_S3, AWS_REGION, ...keys } = server.environment
      const refused: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string, RegExp]> = [
        [
          "no credentials",
          { AWS_ENDPOINT_URL_S3, AWS_REGION },
          "warehouse",
          /there are no AWS credentials; set AWS_ACCESS_KEY_ID/
        ],
        [
          "no region",
          { AWS_ENDPOINT_URL_S3, ...keys },
          "warehouse",
          /the region is not known; set AWS_REGION/
        ],
        ["no bucket", server.environment, "absent", /there is no such bucket; create it first/],
        [
          "a wrong secret",
          { ...server.environment, AWS_SECRET_ACCESS_KEY: "other" },
          "warehouse",
          /the storage refuses the request \(SignatureDoesNotMatch\): /
        ],
        [
          "a wrong key",
          { ...server.environment, AWS_ACCESS_KEY_ID: "other" },
          "warehouse",
          /the storage refuses the request \(\w+\): No user exists with the provided access key/
        ],
        [
          "nobody there",
          { ...server.environment, AWS_ENDPOINT_URL_S3: "http://127.0.0.1:9" },
          "warehouse",
          /the storage cannot be used now: connect ECONNREFUSED 127\.0\.0\.1:9/
        ]
      ]
      for (const [what, environment, bucket, said] of refused) {
        const args = ["events", "export", "--from", "1", "--to", "2", "--out", `s3://${bucket}/lake`]
        const { code, stderr, stdout } = yield* runCommand(args, {
          environment: { DATABASE_URL, ...environment }
        })
        assert.deepStrictEqual([code, stdout], [1, ""], what)
        assert.match(stderr, said, what)
        assert.match(stderr, /^ledgerhook: --out s3:\/\/\w+\/lake: [^\n]*\.\n$/, what)
      }
    }).pipe(Effect.scoped)
  )
})

/** Storage that knows no more than plain uploads, and refuses what newer SDKs add to them. */
const plainStorage = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((request, response) => {
      request.resume()
      const added = Object.keys(request.headers).some((name) => /^x-amz-(?:sdk-)?checksum/.test(name))
      request.on("end", () => {
        if (request.method === "GET") response.end("<ListMultipartUploadsResult/>")
        else if (added) response.writeHead(501).end("<Error><Code>NotImplemented</Code></Error>")
        else response.setHeader("ETag", '"1"').end()
      })
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => void server.close())
)

describe("storage that refuses checksums", () => {
  it.live("is written to, unless S3_CHECKSUMS asks for them", () =>
    Effect.gen(function* () {
      // The cast is safe: a server that listens on TCP has an `AddressInfo`.
      const { port } = (yield* plainStorage).address() as AddressInfo
      const environment = {
        AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "key",
        AWS_SECRET_ACCESS_KEY: "secret"
      }
      const writing = Effect.flatMap(openBucket(place, "mainnet", environment), ({ write }) =>
        write("_manifest.json", "{}")
      ).pipe(Effect.scoped)
      yield* Effect.provide(writing, settingsLayer())
      const refused = yield* Effect.flip(
        Effect.provide(writing, settingsLayer({ S3_CHECKSUMS: "when_supported" }))
      )
      assert.match(refused.message, /the storage cannot be used now/)
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
  )
})
