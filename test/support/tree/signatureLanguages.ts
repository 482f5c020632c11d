/**
 * Runs the four signature-verification functions of docs/receiving.md, each in its language. A language
 * that this machine does not have is skipped and named in the last lines of the run.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { codeBlocks } from "./markdown.ts"

interface Vector {
  readonly name: string
  readonly scheme: "service" | "standard"
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly now: number
  readonly accepted: boolean
}

export const vectors: ReadonlyArray<Vector> = JSON.parse(
  readFileSync("schemas/signature-vectors.json", "utf8")
).vectors

/** The page's functions verify the service's own signature. */
const cases = vectors.filter(({ scheme }) => scheme === "service")

interface Language {
  readonly name: string
  readonly fence: string
  /** The required commands, each with arguments that only check whether it exists. */
  readonly needs: ReadonlyArray<ReadonlyArray<string>>
  /** The files to write, made from the page's block. Each program gets every vector's secret, body file and header. */
  readonly files: (block: string) => Readonly<Record<string, string>>
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
}

const languages: ReadonlyArray<Language> = [
  {
    name: "TypeScript",
    fence: "ts",
    needs: [[process.execPath, "--version"]],
    files: (block) => ({
      "signature.ts": block,
      "main.ts": `import { readFileSync } from "node:fs"
import { verifySignature } from "./signature.ts"
const given = process.argv.slice(2)
for (let i = 0; i < given.length; i += 3)
  console.log(verifySignature(given[i], readFileSync(given[i + 1]), given[i + 2]))
`
    }),
    commands: [[process.execPath, "main.ts"]]
  },
  {
    name: "Python",
    fence: "python",
    needs: [["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))"]],
    files: (block) => ({
      "signature.py": block,
      "main.py": `import sys
from signature import verify_signature
given = sys.argv[1:]
for secret, file, header in zip(given[0::3], given[1::3], given[2::3]):
    print("true" if verify_signature(secret, open(file, "rb").read(), header) else "false")
`
    }),
    commands: [["python3", "main.py"]]
  },
  {
    name: "Go",
    fence: "go",
    needs: [["go", "version"]],
    files: (block) => ({
      "signature.go": block.replace("package receiver", "package main"),
      "main.go": `package main

import (
	"fmt"
	"os"
)

func main() {
	for i := 1; i < len(os.Args); i += 3 {
		body, _ := os.ReadFile(os.Args[i+1])
		fmt.Println(VerifySignature(os.Args[i], body, os.Args[i+2]))
	}
}
`
    }),
    commands: [["go", "run", "main.go", "signature.go"]]
  },
  {
    name: "Java",
    fence: "java",
    needs: [["javac", "--release", "17", "--version"]],
    files: (block) => ({
      "Signatures.java": block,
      "Main.java": `import java.nio.file.Files;
import java.nio.file.Path;

public class Main {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < args.length; i += 3) {
            byte[] body = Files.readAllBytes(Path.of(args[i + 1]));
            System.out.println(Signatures.verify(args[i], body, args[i + 2]));
        }
    }
}
`
    }),
    commands: [
      ["javac", "-encoding", "UTF-8", "Main.java", "Signatures.java"],
      ["java", "-Dsun.jnu.encoding=UTF-8", "-Dfile.encoding=UTF-8", "Main"]
    ]
  }
]

const run = ([command, ...args]: ReadonlyArray<string>, cwd?: string) =>
  spawnSync(command!, args, {
    encoding: "utf8",
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, LC_ALL: "C.UTF-8" }
  })

const exampleOf = (fence: string): string => {
  const blocks = codeBlocks("docs/receiving.md", fence)
  assert.strictEqual(blocks.length, 1, `the page has one ${fence} block`)
  return blocks[0]!
}

/** Tests of these languages. */
export const testLanguages = (...names: ReadonlyArray<string>) =>
  describe("the signature check of docs/receiving.md", () => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "ledgerhook-signatures-"))
      for (const [index, { body }] of cases.entries()) writeFileSync(join(folder, `body${index}`), body)
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    for (const { name, fence, needs, files, commands } of languages.filter((language) =>
      names.includes(language.name)
    )) {
      const missing = needs.find((command) => run(command).status !== 0)
      const title =
        missing === undefined
          ? `in ${name} takes what is right and nothing else`
          : `in ${name} (no ${missing[0]} here)`
      it.skipIf(missing !== undefined)(
        title,
        () => {
          for (const [file, text] of Object.entries(files(exampleOf(fence))))
            writeFileSync(join(folder, file), text)
          const args = cases.flatMap(({ headers, secret }, index) => [
            secret,
            `body${index}`,
            headers["X-Service-Signature"] ?? ""
          ])
          const results = commands.map((command, index) =>
            run(index === commands.length - 1 ? [...command, ...args] : command, folder)
          )
          for (const { status, stderr } of results) assert.strictEqual(status, 0, stderr)
          const verdicts = results.at(-1)!.stdout.trim().split("\n")
          assert.deepStrictEqual(
            cases.map(({ name }, index) => `${name}: ${verdicts[index]}`),
            cases.map(({ accepted, name }) => `${name}: ${accepted}`)
          )
        },
        120_000
      )
    }
  })
