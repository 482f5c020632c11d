/**
 * A transactional producer needs WRITE on its transactional id and its topics, no more. The library sends the highest
 * version of AddPartitionsToTxn that the broker knows; from version 4 on that request is for brokers and needs
 * CLUSTER_ACTION. With version 3 it works. The script starts its own broker, with TLS, users and access control.
 */
import { randomUUID } from "node:crypto"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  AclOperations,
  AclPermissionTypes,
  Admin,
  type API,
  addPartitionsToTxnV3,
  type Callback,
  kGetApi,
  Producer,
  ResourcePatternTypes,
  ResourceTypes,
  stringSerializers
} from "@platformatic/kafka"
import { startBroker } from "../../../../kafka/broker.ts"
import { certificates } from "../../../../support/servers/certificates.ts"
import { outcomeOf } from "./support.ts"

const USER = { username: "writer", password: "correct-horse" }
const TOPIC = "fault"

/** Like the library's producer, except for one request version. */
class WithVersion3 extends Producer<string, string, string, string> {
  override [kGetApi]<Request extends Array<unknown>, Answer>(
    name: string,
    callback: Callback<API<Request, Answer>>
  ) {
    // The types do not say which name has which request.
    if (name === "AddPartitionsToTxn") callback(null, addPartitionsToTxnV3.api as never)
    else super[kGetApi](name, callback)
  }
}

const folder = mkdtempSync(join(tmpdir(), "ledgerhook-fault-"))
const { key, cert } = certificates.localhost
const pem = join(folder, "server.pem")
writeFileSync(pem, `${key}\n${cert}\n`)
const broker = await startBroker(folder, { secured: { users: { [USER.username]: USER.password }, pem } })
try {
  await broker.stop()
  const properties = join(folder, "server.properties")
  appendFileSync(
    properties,
    "\nauthorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\nsuper.users=User:ANONYMOUS\n"
  )
  await broker.start()

  // The broker's internal listener requires no user and permits everything.
  const internal = /INTERNAL:\/\/([^,]+)/.exec(readFileSync(properties, "utf8"))![1]!
  const admin = new Admin({ clientId: "fault", bootstrapBrokers: [internal] })
  await admin.createTopics({ topics: [TOPIC], partitions: 1, replicas: 1 })
  await admin.createAcls({
    creations: [
      [ResourceTypes.TOPIC, TOPIC],
      [ResourceTypes.TRANSACTIONAL_ID, "*"]
    ].map(([resourceType, resourceName]) => ({
      resourceType: resourceType as typeof ResourceTypes.TOPIC,
      resourceName: resourceName as string,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: `User:${USER.username}`,
      host: "*",
      operation: AclOperations.WRITE,
      permissionType: AclPermissionTypes.ALLOW
    }))
  })
  await admin.close()

  const transactionBy = async (
    Client: typeof WithVersion3 | typeof Producer<string, string, string, string>
  ) => {
    const producer = new Client({
      clientId: "fault",
      bootstrapBrokers: [broker.brokers],
      tls: { ca: cert },
      sasl: { mechanism: "SCRAM-SHA-512", ...USER },
      serializers: stringSerializers,
      idempotent: true,
      transactionalId: randomUUID(),
      retries: 2
    })
    const outcome = await outcomeOf(async () => {
      const transaction = await producer.beginTransaction()
      await transaction.send({ messages: [{ topic: TOPIC, key: "k", value: "v" }] })
      await transaction.commit()
    })
    await producer.close()
    return outcome
  }
  console.log(`the version that the library takes: ${await transactionBy(Producer)}`)
  console.log(`version 3: ${await transactionBy(WithVersion3)}`)
} finally {
  await broker.stop()
  rmSync(folder, { recursive: true, force: true })
}
