/**
 * The four functions of docs/receiving.md that verify a signature, taken from the page and run, each in its language.
 * A language that this machine lacks is skipped and named in the last lines of the run.
 */
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { codeBlocks } from "./markdown.ts"

const secret = "whsec_dGhlIHdob2xlIHN0cmluZyBpcyB0aGUga2V5="
const body = Buffer.from(
  '{"event_id":"xrpl:1:AB:payment.xrp","note":"Grüße – 元","payload":{ "amount":"1" }}'
)

const sign = (key: string, bytes: Uint8Array) =>
  `sha256=${createHmac("sha256", key).update(bytes).digest("hex")}`
const good = sign(secret, body)
const other = sign("another secret", body)

/** What stands in the header, and whether a receiver must take it. */
const cases: ReadonlyArray<readonly [what: string, header: string, accepted: boolean]> = [
  ["the signature", good, true],
  ["two signatures, the first right", `${good},${other}`, true],
  ["two signatures, the second right", `${other},${good}`, true],
  ["two signatures with a space, the first right", `${good}, ${other}`, true],
  ["a signature with another secret", other, false],
  ["a signature of another body", sign(secret, Buffer.from("{}")), false],
  ["the signature without its prefix", good.slice("sha256=".length), false],
  ["the signature cut short", good.slice(0, -1), false],
  ["the signature and more", `${good}0`, false],
  ["nothing", "", false],
  ["only a comma", ",", false],
  ["letters beyond ASCII", "sha256=ü", false]
]

interface Language {
  readonly name: string
  readonly fence: string
  /** Commands that must be there, with a harmless question. */
  readonly needs: ReadonlyArray<ReadonlyArray<string>>
  /** Files to write, from the page's block; each program gets secret, body file and headers, and prints one line each. */
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
const [secret, file, ...headers] = process.argv.slice(2)
for (const header of headers) console.log(verifySignature(secret, readFileSync(file), header))
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
body = open(sys.argv[2], "rb").read()
for header in sys.argv[3:]:
    print("true" if verify_signature(sys.argv[1], body, header) else "false")
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
	body, _ := os.ReadFile(os.Args[2])
	for _, header := range os.Args[3:] {
		fmt.Println(VerifySignature(os.Args[1], body, header))
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
        byte[] body = Files.readAllBytes(Path.of(args[1]));
        for (int i = 2; i < args.length; i++) System.out.println(Signatures.verify(args[0], body, args[i]));
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

const blockOf = (fence: string): string => {
  const blocks = codeBlocks("docs/receiving.md", fence)
  assert.strictEqual(blocks.length, 1, `the page has one ${fence} block`)
  return blocks[0]!
}

/** Tests of these languages. */
export const testLanguages = (...names: ReadonlyArray<string>) =>
  describe("the signature check in docs/receiving.md", () => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "ledgerhook-signatures-"))
      writeFileSync(join(folder, "body"), body)
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
          for (const [file, text] of Object.entries(files(blockOf(fence))))
            writeFileSync(join(folder, file), text)
          const args = [secret, "body", ...cases.map(([, header]) => header)]
          const results = commands.map((command, index) =>
            run(index === commands.length - 1 ? [...command, ...args] : command, folder)
          )
          for (const { status, stderr } of results) assert.strictEqual(status, 0, stderr)
          const verdicts = results.at(-1)!.stdout.trim().split("\n")
          assert.deepStrictEqual(
            cases.map(([what], index) => `${what}: ${verdicts[index]}`),
            cases.map(([what, , accepted]) => `${what}: ${accepted}`)
          )
        },
        120_000
      )
    }
  })
