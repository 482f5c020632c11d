/** Builds a payload filter from the fields of the chosen types, with its JSON beside it. */
import { Button } from "@mantine/core"
import type { Fault } from "../../../../api/call.ts"
import { FaultLine } from "../FormSection.tsx"
import { FilterJson } from "./FilterJson.tsx"
import { FilterRows } from "./FilterRows.tsx"
import type { Field } from "./fields.ts"
import classes from "./filter.module.css"
import { itemAt } from "./tree.ts"
import { type EditedFilter, emptyFilter } from "./useFilter.ts"

interface FilterBuilderProps {
  readonly filter: EditedFilter
  readonly fields: ReadonlyMap<string, Field>
  readonly faults: ReadonlyArray<Fault>
}

/** "/payload_filter/amount" within the filter. */
const within = ({ param }: Fault): string => param.replace(/^\/payload_filter/, "")

export const FilterBuilder = ({ filter, fields, faults }: FilterBuilderProps) => {
  const { root, because, places, setRoot, setText, text } = filter
  const ofRow = (id: number) =>
    faults.filter((fault) => within(fault) !== "" && itemAt(places, within(fault)) === id)
  const elsewhere = faults.filter(
    (fault) => root === undefined || within(fault) === "" || itemAt(places, within(fault)) === undefined
  )
  const wrong = new Set(faults.map((fault) => fault.param.split("/").at(-1)!))
  return (
    <div className={classes["builder"]}>
      <div>
        {root === undefined ? (
          <div className={classes["unshown"]}>
            <p>The rows cannot show this filter: {because}. Edit it as JSON.</p>
            <Button size="xs" variant="default" onClick={() => setRoot(emptyFilter())}>
              Begin again
            </Button>
          </div>
        ) : (
          <FilterRows root={root} onChange={setRoot} fields={fields} faultsOf={ofRow} />
        )}
        <FaultLine faults={elsewhere} />
      </div>
      <FilterJson value={text} onChange={setText} isFaulty={faults.length > 0} wrong={wrong} />
    </div>
  )
}
