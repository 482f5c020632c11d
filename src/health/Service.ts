/** What an operator wants to know first: is the service at fault, or some customers' endpoints? Pure. */
import type { HealthState } from "../domain/HealthState.ts"
import { type RoleState, type SeenProcess, someRuns } from "./Roles.ts"

export interface ServiceState {
  /** False if the service is at fault. Webhooks that fail are not its fault. */
  readonly ok: boolean
  readonly sentences: ReadonlyArray<string>
}

const counted = (n: number) => n.toLocaleString("en-US")

const webhooksSentence = (count: Readonly<Record<HealthState, number>>): string => {
  const { disabled, failing, ...others } = count
  const active = failing + others.new + others.waiting + others.healthy
  if (active === 0) return "There is no active webhook."
  if (failing === 0)
    return active === 1
      ? "The only active webhook does not fail."
      : `None of ${counted(active)} webhooks fails.`
  return `${counted(failing)} of ${counted(active)} active webhooks ${failing === 1 ? "fails" : "fail"}.`
}

export const serviceState = (
  processes: ReadonlyArray<SeenProcess>,
  roles: ReadonlyArray<RoleState>,
  webhooks: Readonly<Record<HealthState, number>>
): ServiceState => {
  if (!someRuns(processes)) return { ok: false, sentences: ["The service does not run: no process says so."] }
  const missing = roles.flatMap(({ sentence }) => sentence ?? [])
  return missing.length > 0
    ? { ok: false, sentences: missing }
    : { ok: true, sentences: ["Each role has a process.", webhooksSentence(webhooks)] }
}
