/**
 * Errors of connecting that say nothing about the receiver: this machine lacks file descriptors, local ports or memory.
 * Such an attempt does not count. Codes come from Node, its system resolver and c-ares. Pure.
 */
import { Predicate } from "effect"

const DESCRIPTORS =
  "has too many open files and connections: raise the limit of open files (`ulimit -n`, or LimitNOFILE of systemd)"
const MEMORY = "lacks memory for connections"

const shortages: Readonly<Record<string, string>> = {
  EMFILE: DESCRIPTORS,
  ENFILE: "has too many open files in all its programs: raise fs.file-max",
  ENOBUFS: MEMORY,
  ENOMEM: MEMORY,
  EAI_MEMORY: MEMORY
}

const PORTS = "lacks local ports for connections to one address: widen net.ipv4.ip_local_port_range"

/** What this machine lacks, as the end of a sentence; undefined if the error has another cause. */
export const shortageOf = (error: unknown): string | undefined => {
  if (!Predicate.isObject(error)) return undefined
  const of = (name: string) => (Predicate.hasProperty(error, name) ? error[name] : undefined)
  const [address, code] = [of("address"), of("code")]
  if (typeof code === "string" && Object.hasOwn(shortages, code)) return `${shortages[code]} (${code})`
  // glibc reports so that it could not open a socket or a file.
  if (code === "EBUSY" && of("syscall") === "getaddrinfo") return `${DESCRIPTORS} (${code})`
  // For an IPv6 address it also means that the machine has none of its own.
  if (code === "EADDRNOTAVAIL" && typeof address === "string" && !address.includes(":"))
    return `${PORTS} (${code})`
  return shortageOf(of("cause"))
}
