/**
 * A payload filter that is edited as rows or as JSON: each follows the other. JSON that is no filter, or that the builder
 * cannot show, stays as it was typed, and the rows wait until it can.
 */
import { useState } from "react"
import { objectIn } from "../../../../words/json.ts"
import {
  filterOf,
  filterText,
  type Group,
  newGroup,
  type Places,
  type ReadFilter,
  treeOf,
  unfinished
} from "./tree.ts"

export interface EditedFilter {
  readonly text: string
  /** Undefined: the rows cannot show the JSON. */
  readonly root: Group | undefined
  /** Why they cannot. */
  readonly because: string | undefined
  readonly places: Places
  readonly unfinished: number
  readonly setText: (text: string) => void
  readonly setRoot: (root: Group) => void
}

const read = (text: string): ReadFilter => {
  const filter = objectIn(text)
  return filter === undefined ? { because: "it is not a JSON object" } : treeOf(filter)
}

/** `onChange`: the JSON, empty for no filter. */
export const useFilter = (text: string, onChange: (text: string) => void): EditedFilter => {
  const [shown, setShown] = useState<ReadFilter>(() => read(text))
  const root = "root" in shown ? shown.root : undefined
  return {
    text,
    root,
    because: "because" in shown ? shown.because : undefined,
    places: "root" in shown ? shown.places : new Map(),
    unfinished: root === undefined ? 0 : unfinished(root).length,
    setText: (next) => {
      setShown(read(next))
      onChange(next)
    },
    setRoot: (next) => {
      const { filter, places } = filterOf(next)
      setShown({ root: next, places })
      onChange(filter === null ? "" : filterText(filter))
    }
  }
}

export const emptyFilter = () => newGroup("all")
