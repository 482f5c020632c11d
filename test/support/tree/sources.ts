/** Reads source files and what they import, for the checks of the house rules. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import type { Edge } from "./circles.ts"

export interface Source {
  readonly file: string
  readonly text: string
  /** Without comments, so that prose may say what code may not. */
  readonly code: string
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[\s;{}(,])\/\/[^\n]*/g, "$1")

export const read = (pattern: string): ReadonlyArray<Source> =>
  globSync(pattern).map((file) => {
    const text = readFileSync(file, "utf8")
    return { file, text, code: withoutComments(text) }
  })

export const importsOf = ({ code }: Source): ReadonlyArray<string> =>
  Array.from(code.matchAll(/\b(?:from|import|require)\s*\(?\s*"([^"]+)"/g), (match) => match[1]!)

/** Which of these files imports which file of `folder`. */
export const edgesIn = (folder: string, files: ReadonlyArray<Source>): ReadonlyArray<Edge> =>
  files.flatMap((source) =>
    importsOf(source)
      .filter((target) => target.startsWith("."))
      .map((target) => normalize(join(dirname(source.file), target)))
      .filter((target) => target.startsWith(folder))
      .map((target) => ({ from: source.file, to: target }))
  )
