/**
 * Changes a place of the program that is given as code. The code is compared as a syntax tree, so layout, comments and
 * types do not matter: `$name` stands for any expression, and `...$name` for all further arguments or properties.
 * Inside of an SQL text, the text is compared, with any white space.
 */
import { parseAst } from "vitest/node"

export interface Edit {
  /** One expression or statement, or a piece of SQL. */
  readonly find: string
  /** What stands there instead; `$name` is what was found. */
  readonly wrong: string
  readonly sql?: true
}

/** A wrong variant of the program. */
export interface Mutant extends Edit {
  readonly name: string
  /** The check that must be the first to notice it. `settles`: the run leaves something to do. */
  readonly caughtBy: string
  /** The folder or file of `src` in which `find` is found once. */
  readonly part: string
  /** Caught in runs whose database fails over. */
  readonly failsOver?: true
}

type Tree = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly start: number
  readonly end: number
}
type Found = Map<string, string>

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && "type" in value && "start" in value

/** Positions, spelling and types. */
const LEFT_OUT =
  /^(?:start|end|raw|loc|range|parent|typeAnnotation|typeArguments|typeParameters|returnType|accessibility|override|definite|declare|readonly|static|directive)$/

const WRAPPERS = ["ParenthesizedExpression", "TSNonNullExpression", "TSAsExpression", "TSSatisfiesExpression"]

/** Without parentheses and types. */
const bare = (tree: unknown): unknown =>
  isTree(tree) && WRAPPERS.includes(tree.type) ? bare(tree["expression"]) : tree

const holeIn = (tree: unknown): string | undefined =>
  isTree(tree) && tree.type === "Identifier" && /^\$\w/.test(String(tree["name"]))
    ? String(tree["name"])
    : undefined

const matchAll = (
  wanted: ReadonlyArray<unknown>,
  given: ReadonlyArray<unknown>,
  source: string,
  found: Found
): boolean => {
  const last = wanted.at(-1)
  const rest = isTree(last) && last.type === "SpreadElement" ? holeIn(last["argument"]) : undefined
  if (rest === undefined)
    return wanted.length === given.length && wanted.every((one, i) => matches(one, given[i], source, found))
  const first = wanted.slice(0, -1)
  const others = given.slice(first.length).filter(isTree)
  found.set(rest, others.map(({ start, end }) => source.slice(start, end)).join(", "))
  return given.length >= first.length && first.every((one, i) => matches(one, given[i], source, found))
}

const matches = (wanted: unknown, given: unknown, source: string, found: Found): boolean => {
  const [one, other] = [bare(wanted), bare(given)]
  const hole = holeIn(one)
  if (hole !== undefined) {
    if (!isTree(other)) return false
    const text = source.slice(other.start, other.end)
    const before = found.get(hole)
    found.set(hole, text)
    return before === undefined || before === text
  }
  if (Array.isArray(one)) return Array.isArray(other) && matchAll(one, other, source, found)
  if (typeof one !== "object" || one === null) return Object.is(one ?? null, other ?? null)
  if (typeof other !== "object" || other === null) return false
  return Object.entries(one).every(
    ([name, value]) =>
      LEFT_OUT.test(name) ||
      matches(value, Object.entries(other).find(([key]) => key === name)?.[1], source, found)
  )
}

const treesIn = function* (value: unknown): Generator<Tree> {
  if (typeof value !== "object" || value === null) return
  if (isTree(value)) yield value
  for (const child of Object.values(value)) yield* treesIn(child)
}

const parse = (code: string): unknown => parseAst(code, { lang: "ts" })

/** The statements of a piece of code; of a single expression, the expression. */
const wantedOf = (code: string): ReadonlyArray<Tree> => {
  const block = [...treesIn(parse(`function* f() {\n${code}\n}`))].find(
    ({ type }) => type === "BlockStatement"
  )
  const statements = listIn(block, "body")
  const [first] = statements
  return statements.length === 1 && first?.type === "ExpressionStatement"
    ? [bare(first["expression"])].filter(isTree)
    : statements
}

const listIn = (tree: Tree | undefined, name: string): ReadonlyArray<Tree> => {
  const list = tree?.[name]
  return Array.isArray(list) ? list.filter(isTree) : []
}

/** Every run of neighbours of that length. */
const windows = (list: ReadonlyArray<Tree>, length: number): ReadonlyArray<ReadonlyArray<Tree>> =>
  list.flatMap((_, i) => (i + length <= list.length ? [list.slice(i, i + length)] : []))

interface Place {
  readonly start: number
  readonly end: number
  readonly text: string
}

const placesOfSql = (source: string, { find, wrong }: Edit): ReadonlyArray<Place> => {
  const words = find
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return Array.from(source.matchAll(new RegExp(words.join("\\s+"), "g")), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: wrong
  }))
}

const placesOfCode = (source: string, { find, wrong }: Edit): ReadonlyArray<Place> => {
  const wanted = wantedOf(find)
  // Parsing takes a hundred times as long as looking for the names.
  const names = find.match(/(?<![$\w])[A-Za-z_]\w*/g) ?? []
  if (!names.every((name) => source.includes(name))) return []
  const places: Array<Place> = []
  for (const tree of treesIn(parse(source))) {
    const lists = wanted.length === 1 ? [[tree]] : windows(listIn(tree, "body"), wanted.length)
    for (const list of lists) {
      const found: Found = new Map()
      if (!wanted.every((one, i) => one.type === list[i]!.type && matches(one, list[i], source, found)))
        continue
      const text = wrong.replaceAll(/\$\w+/g, (name) => found.get(name) ?? name)
      places.push({ start: list[0]!.start, end: list.at(-1)!.end, text })
    }
  }
  return places
}

/** The sources with the change, for each place that the edit finds in them. */
export const edited = (source: string, edit: Edit): ReadonlyArray<string> =>
  (edit.sql === true ? placesOfSql : placesOfCode)(source, edit).map(
    ({ start, end, text }) => source.slice(0, start) + text + source.slice(end)
  )
