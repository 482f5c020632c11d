/**
 * Makes dist/ from src/ for the npm package, because Node strips no types below node_modules. Node's own stripping is
 * used, so the package runs the code that a clone runs, line by line. dist/ stands beside src/, so paths to other files
 * are the same. npm runs this script before it packs.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** `from "./File.ts"` and `import("./File.ts")`. */
const relativeImport = /(?<=(?:\bfrom |\bimport\(|\bimport )"\.{1,2}\/[^"]*)\.ts(?=")/g

rmSync(join(root, "dist"), { recursive: true, force: true })
for (const file of globSync("**/*.ts", { cwd: join(root, "src") })) {
  const output = join(root, "dist", file.replace(/\.ts$/, ".js"))
  mkdirSync(dirname(output), { recursive: true })
  const code = stripTypeScriptTypes(readFileSync(join(root, "src", file), "utf8"))
  writeFileSync(output, code.replace(relativeImport, ".js"))
}
