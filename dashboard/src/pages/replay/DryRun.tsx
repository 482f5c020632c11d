/** What a replay would send. */
import type { CountedReplay } from "../../api/ledgerhook.ts"
import { count, plural } from "../../parts/format.ts"
import { Section } from "../../parts/Page.tsx"
import classes from "./DryRun.module.css"

export const DryRun = ({ counted }: { readonly counted: CountedReplay }) => {
  const { at_least, estimated_events, by_type, first_ledger, last_ledger } = counted
  const types = Object.entries(by_type ?? {}).sort(([, a], [, b]) => b - a)
  const most = types[0]?.[1] ?? 1
  const known = types.reduce((sum, [, events]) => sum + events, 0)
  return (
    <Section title="The replay would send">
      <div role="status">
        <div className="figure-value">{`${at_least ? "at least " : ""}${plural(estimated_events, "event")}`}</div>
        {first_ledger !== null && last_ledger !== null && (
          <div className="quiet">
            from ledger {count(first_ledger)} to {count(last_ledger)}; a payload filter is not counted
          </div>
        )}
        {by_type === null && (
          <div className="quiet">These are too many events of these accounts to count them by type.</div>
        )}
        {by_type !== null && known < estimated_events && (
          <div className="quiet">
            {count(estimated_events - known)} of them are not known yet: ids that do not exist, or ledgers
            that are fetched first.
          </div>
        )}
      </div>
      {types.length > 0 && (
        <table className={classes["types"]}>
          <caption className={classes["caption"]}>Events by type</caption>
          <tbody>
            {types.map(([type, events]) => (
              <tr key={type}>
                <th scope="row">{type}</th>
                <td className={classes["bar"]} aria-hidden>
                  <span style={{ width: `${(100 * events) / most}%` }} />
                </td>
                <td className={classes["number"]}>{count(events)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}
