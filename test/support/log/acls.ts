/** Grants and takes away rights on a broker with access control lists, as the arguments of `kafka-acls.sh` say. */
import {
  AclOperations,
  AclPermissionTypes,
  Admin,
  ResourcePatternTypes,
  ResourceTypes
} from "@platformatic/kafka"
import type { Right } from "../../../src/spine/log/Access.ts"

const operations: Readonly<Record<string, number>> = {
  Read: AclOperations.READ,
  Write: AclOperations.WRITE,
  Create: AclOperations.CREATE,
  Alter: AclOperations.ALTER,
  Describe: AclOperations.DESCRIBE,
  DescribeConfigs: AclOperations.DESCRIBE_CONFIGS,
  AlterConfigs: AclOperations.ALTER_CONFIGS
}
const resources: Readonly<Record<Right["resource"], number>> = {
  topic: ResourceTypes.TOPIC,
  group: ResourceTypes.GROUP,
  "transactional-id": ResourceTypes.TRANSACTIONAL_ID
}

interface Granted {
  readonly principal: string
  readonly resource: Right["resource"]
  readonly name: string
  readonly pattern: Right["pattern"]
  readonly operation: string
}

/** What one printed command grants. */
export const grantsIn = (command: string): ReadonlyArray<Granted> => {
  const words = command.split(" ")
  const after = (flag: string) => words.filter((_, i) => words[i - 1] === flag)
  const [principal = ""] = after("--allow-principal")
  const pattern = after("--resource-pattern-type")[0] === "prefixed" ? "prefixed" : "literal"
  return (["topic", "group", "transactional-id"] as const).flatMap((resource) =>
    after(`--${resource}`).flatMap((name) =>
      after("--operation").map((operation) => ({ principal, resource, name, pattern, operation }))
    )
  )
}

/** The rights of a user. */
export const grantsOf = (user: string, rights: ReadonlyArray<Right>): ReadonlyArray<Granted> =>
  rights.flatMap(({ operations: each, ...right }) =>
    each.map((operation) => ({ principal: `User:${user}`, ...right, operation }))
  )

const aclOf = ({ principal, resource, name, pattern, operation }: Granted) => ({
  // The casts are safe: both tables hold the client's own numbers.
  resourceType: resources[resource] as typeof ResourceTypes.TOPIC,
  resourceName: name,
  resourcePatternType: pattern === "prefixed" ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
  principal,
  host: "*",
  operation: operations[operation] as typeof AclOperations.READ,
  permissionType: AclPermissionTypes.ALLOW
})

/** `username` and `password`: the broker's super user. */
export const makeAcls = (brokers: string, username: string, password: string) => {
  const withAdmin = async (use: (admin: Admin) => Promise<unknown>) => {
    const admin = new Admin({
      clientId: "acls",
      bootstrapBrokers: [brokers],
      sasl: { mechanism: "SCRAM-SHA-512", username, password }
    })
    await use(admin)
    await admin.close()
  }
  return {
    grant: (granted: ReadonlyArray<Granted>) =>
      withAdmin((admin) => admin.createAcls({ creations: granted.map(aclOf) })),
    revoke: (granted: ReadonlyArray<Granted>) =>
      withAdmin((admin) => admin.deleteAcls({ filters: granted.map(aclOf) }))
  }
}
