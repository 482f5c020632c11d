/**
 * Says that the settings of a forward proxy in the environment are not used. Receivers, ledger servers and the stores are
 * connected to directly: a proxy would look up receivers' addresses itself, after they were checked. Only with
 * NODE_USE_ENV_PROXY=1, Node's own `fetch` uses a proxy. Pure.
 */
import type { Environment } from "../../../spine/config/Config.ts"
import type { Finding } from "./Finding.ts"

/** As programs read them, in upper or lower case. */
const PROXY_SETTING = /^(?:https?_proxy|all_proxy|node_use_env_proxy)$/i

/** Empty if the environment names no proxy. */
export const proxyFindings = (environment: Environment): ReadonlyArray<Finding> => {
  const given = Object.keys(environment).filter(
    (name) => PROXY_SETTING.test(name) && environment[name] !== ""
  )
  if (given.length === 0) return []
  const isOfNode = environment["NODE_USE_ENV_PROXY"] === "1"
  return [
    {
      check: "forward proxy",
      status: "warning",
      detail: `${given.join(", ")}: set, but deliveries, notices, ledger servers, databases, Kafka and mail do not use it${isOfNode ? "; because of NODE_USE_ENV_PROXY=1, requests to the schema registry, to the server of Kafka's tokens and to the endpoint for traces and metrics do" : ""}`,
      fix: `Let this machine connect to receivers and ledger servers directly (docs/deploy.md, “Behind a forward proxy”)${isOfNode ? "; unset NODE_USE_ENV_PROXY, or name the hosts of your own infrastructure in NO_PROXY" : ""}.`
    }
  ]
}
