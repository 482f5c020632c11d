/**
 * Effect finds the handlers of a group by its name alone: of two groups of one name the second replaces the first, and the
 * endpoints of the first are gone in silence.
 */
import { assert, it } from "@effect/vitest"
import { HttpApiGroup } from "effect/http-api"
import { Api, type Group } from "../../src/app/Contract.ts"
import { services } from "../../src/app/Services.ts"

const repeated = (groups: ReadonlyArray<HttpApiGroup.Constraint>): ReadonlyArray<string> => {
  const names = groups.map(({ identifier }) => identifier)
  return names.filter((name, i) => names.indexOf(name) !== i)
}

it("every group of the contract has its own name", () => {
  const groups = services.flatMap((service): ReadonlyArray<Group> => service.api.groups)
  assert.deepStrictEqual(repeated(groups), [])
  assert.lengthOf(Object.keys(Api.groups), groups.length)
  // The checker sees a second group of one name, and Effect keeps only one of them.
  const second = HttpApiGroup.make("replay")
  assert.deepStrictEqual(repeated([...groups, second]), ["replay"])
  assert.lengthOf(Object.keys(Api.add(second).groups), groups.length)
})
