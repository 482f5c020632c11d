/**
 * Chooses the next scenario from a shuffled deck that contains each scenario as often as its weight. The deck is used
 * up before it is shuffled again, so every kind occurs in every round. A scenario that is not possible now is set aside
 * and tried first next time.
 */
import type { Draft, Scenario } from "./Scenario.ts"
import { accounts } from "./scenarios/Accounts.ts"
import { checks } from "./scenarios/Checks.ts"
import { escrows } from "./scenarios/Escrows.ts"
import { failures } from "./scenarios/Failures.ts"
import { nftOffers } from "./scenarios/NftOffers.ts"
import { nfts } from "./scenarios/Nfts.ts"
import { offers } from "./scenarios/Offers.ts"
import { payments } from "./scenarios/Payments.ts"
import { trustLines } from "./scenarios/TrustLines.ts"
import type { World } from "./World.ts"

const scenarios: ReadonlyArray<Scenario> = [
  ...payments,
  ...trustLines,
  ...accounts,
  ...nfts,
  ...nftOffers,
  ...offers,
  ...escrows,
  ...checks,
  ...failures
]

const round: ReadonlyArray<Scenario> = scenarios.flatMap((scenario) =>
  Array.from({ length: scenario.weight }, () => scenario)
)

export interface Dealt {
  readonly scenario: string
  readonly draft: Draft
}

export const makeScenarioDeck = (): ((world: World) => Dealt) => {
  let deck: Array<Scenario> = []
  const waiting = new Set<Scenario>()

  const attempt = (world: World, scenario: Scenario): Dealt | undefined => {
    const draft = scenario.draft(world)
    if (draft === undefined) {
      waiting.add(scenario)
      return undefined
    }
    waiting.delete(scenario)
    return { scenario: scenario.name, draft }
  }

  return (world) => {
    for (const scenario of [...waiting]) {
      const dealt = attempt(world, scenario)
      if (dealt !== undefined) return dealt
    }
    // The failure scenarios are always possible, so every round has one that is.
    for (let tries = 0; tries <= 2 * round.length; tries++) {
      if (deck.length === 0) deck = world.random.shuffle(round)
      const dealt = attempt(world, deck.pop()!)
      if (dealt !== undefined) return dealt
    }
    throw new Error("ScenarioDeck: no scenario suits the state of the simulated ledger")
  }
}
