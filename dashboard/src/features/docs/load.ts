/** Loads the search of the documentation, when it is first needed. */
import type { FindSections } from "./search.ts"

const INDEX = "/docs/search.json"

let loading: Promise<FindSections> | undefined

const load = async (): Promise<FindSections> => {
  const [{ makeSearch }, response] = await Promise.all([import("./search.ts"), fetch(INDEX)])
  if (!response.ok) throw new Error(`${INDEX}: ${response.status}`)
  return makeSearch(await response.json())
}

export const loadSearch = (): Promise<FindSections> => {
  loading ??= load().catch((cause: unknown) => {
    // The next call tries again.
    loading = undefined
    throw cause
  })
  return loading
}
