/** The XRP Ledger networks the service can watch, and the key environment that sees each. */
export const networks = ["mainnet", "testnet", "devnet"] as const

export type Network = (typeof networks)[number]

export const isNetwork = (value: unknown): value is Network => networks.some((network) => network === value)

/** The `network_id` a server of that network reports in `server_info`. */
export const networkIds: Readonly<Record<Network, number>> = { mainnet: 0, testnet: 1, devnet: 2 }

export const keyEnvironments = ["live", "test"] as const
export type KeyEnvironment = (typeof keyEnvironments)[number]

export const environmentOf = (network: Network): KeyEnvironment => (network === "mainnet" ? "live" : "test")

export const networksOf = (environment: KeyEnvironment): ReadonlyArray<Network> =>
  networks.filter((network) => environmentOf(network) === environment)

/** The network that a request means when it names none. */
export const defaultNetwork: Readonly<Record<KeyEnvironment, Network>> = { live: "mainnet", test: "testnet" }
