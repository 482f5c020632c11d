/** The faults of a payload filter that does not fit its event types. */
import { Array as Arr } from "effect"
import { type Fault, pointerOf, ValidationError } from "../../http/Errors.ts"
import type { EventType } from "../../spine/event/EventType.ts"
import { type FilterProblem, filterProblems, filterSentence } from "../../spine/filter/Parse.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"

/** `place`: the path of the filter in the body. */
const filterFault =
  (place: ReadonlyArray<string>) =>
  (problem: FilterProblem): Fault => ({
    param: pointerOf([...place, ...problem.path]),
    message: filterSentence(place.join("."), problem),
    suggestion: problem.suggestion
  })

const filterFaults = (problems: ReadonlyArray<FilterProblem>, place: ReadonlyArray<string>) =>
  problems.map(filterFault(place))

export const filterError = (
  problems: Arr.NonEmptyReadonlyArray<FilterProblem>,
  place: ReadonlyArray<string>
) => ValidationError.of(Arr.map(problems, filterFault(place)))

/** `types`: those that the filter is for. At least one of them must have each of its fields. */
export const filterFaultsOf = (
  filter: PayloadFilter | null | undefined,
  types: ReadonlyArray<EventType>,
  place: ReadonlyArray<string>
) => (filter == null ? [] : filterFaults(filterProblems(filter, types), place))
