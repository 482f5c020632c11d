/** Limits of what a process knows of webhooks and accounts. They are read from the context, so a test can lower them. */
import { Context } from "effect"

export const registryLimits = {
  /** How often holds of accounts are read: an account overshoots its quota by what it sends in this time. */
  accountHoldsMs: 1_000,
  /** How often secrets are tried that could not be opened: the key file may have been replaced. */
  openSecretsMs: 10_000
}

export const RegistryLimits = Context.Reference<Readonly<typeof registryLimits>>(
  "ledgerhook/registry/RegistryLimits",
  {
    defaultValue: () => registryLimits
  }
)
