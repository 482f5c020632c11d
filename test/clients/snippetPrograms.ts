/** How the programs of the event catalogue are compiled and run, by language. Each needs what the machine may lack. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Language } from "../../dashboard/src/features/events/catalogue/snippets.ts"
import { cache, filledOnce, maven } from "../kafka/javaServer.ts"

/** A program of each event type. */
export type Programs = ReadonlyArray<readonly [type: string, text: string]>

interface Toolchain {
  /** The commands that must succeed, or the language is left out. */
  readonly needs: ReadonlyArray<readonly [string, ...Array<string>]>
  /** Writes all programs to the folder, and returns the commands that compile or check all of them. */
  readonly check: (folder: string, programs: Programs) => ReadonlyArray<ReadonlyArray<string>>
  /** Writes one to the folder, and returns the commands of which the last one serves at the port. */
  readonly serve: (folder: string, text: string, port: number) => ReadonlyArray<ReadonlyArray<string>>
  readonly env?: Readonly<Record<string, string>>
}

const write = (folder: string, name: string, text: string): string => {
  const file = join(folder, name)
  mkdirSync(resolve(file, ".."), { recursive: true })
  writeFileSync(file, text)
  return file
}

const at = (text: string, port: number): string => text.replace(/\b4000\b/, String(port))

/** The package as the program imports it, without building it. */
const receiverPackage = (folder: string): void => {
  const home = join(folder, "receiver")
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  write(
    home,
    "package.json",
    JSON.stringify({
      name: "ledgerhook-receiver",
      type: "module",
      exports: { ".": "./src/index.ts", "./node": "./src/node.ts" }
    })
  )
  // The types are Node's, which the compiler looks for above the file.
  cpSync("packages/receiver-js/src", join(home, "src"), { recursive: true })
  symlinkSync(home, join(folder, "node_modules/ledgerhook-receiver"))
  symlinkSync(resolve("node_modules/@types"), join(folder, "node_modules/@types"))
  write(folder, "package.json", JSON.stringify({ type: "module" }))
}

const jackson = (): string =>
  filledOnce(cache("jackson"), (making) =>
    maven(
      "--file",
      resolve("test/clients/jackson.pom.xml"),
      "dependency:copy-dependencies",
      `-DoutputDirectory=${making}`
    )
  )

const PYTHON_ENV = { PYTHONPATH: resolve("packages/receiver-python/src"), PYTHONUTF8: "1" }

/** What any Rack server does with `config.ru`, for one request at a time. */
const RACK = `require "socket"
require "stringio"
$app = nil
def run(app) = $app = app
eval File.read("config.ru"), TOPLEVEL_BINDING, "config.ru"
server = TCPServer.new "127.0.0.1", Integer(ARGV[0])
$stdout.sync = true
loop do
  client = server.accept
  client.gets
  env = {}
  while (line = client.gets.strip) != ""
    name, value = line.split(": ", 2)
    env["HTTP_" + name.upcase.tr("-", "_")] = value
  end
  env["rack.input"] = StringIO.new(client.read(Integer(env["HTTP_CONTENT_LENGTH"])))
  status, = $app.call(env)
  client.write "HTTP/1.1 #{status} Answered\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n"
  client.close
end
`

const tsc = [process.execPath, resolve("node_modules/typescript/bin/tsc")]

export const toolchains: Readonly<Record<Language, Toolchain>> = {
  TypeScript: {
    needs: [[process.execPath, "--version"]],
    check: (folder, programs) => {
      receiverPackage(folder)
      const files = programs.map(([type, text]) => write(folder, `${type}.ts`, text))
      const options =
        "--noEmit --strict --target esnext --module nodenext --allowImportingTsExtensions --types node --skipLibCheck"
      return [[...tsc, ...options.split(" "), ...files]]
    },
    serve: (folder, text, port) => {
      receiverPackage(folder)
      return [[process.execPath, write(folder, "receive.ts", at(text, port))]]
    }
  },
  Python: {
    needs: [["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))"]],
    check: (folder, programs) => [
      ["python3", "-m", "py_compile", ...programs.map(([type, text]) => write(folder, `${type}.py`, text))]
    ],
    serve: (folder, text, port) => [["python3", write(folder, "receive.py", at(text, port))]],
    env: PYTHON_ENV
  },
  Go: {
    needs: [["go", "version"]],
    check: (folder, programs) => {
      write(folder, "go.mod", "module example.com/receive\n\ngo 1.22\n")
      for (const [type, text] of programs) write(folder, `${type.replaceAll(".", "_")}/main.go`, text)
      return [
        ["sh", "-c", 'wrong=$(gofmt -l .); echo "$wrong"; test -z "$wrong"'],
        ["go", "vet", "./..."]
      ]
    },
    serve: (folder, text, port) => [
      ["go", "build", "-o", "receive", write(folder, "receive.go", at(text, port))],
      [join(folder, "receive")]
    ]
  },
  Java: {
    needs: [
      ["javac", "--release", "17", "--version"],
      ["mvn", "--version"]
    ],
    check: (folder, programs) => [
      [
        "javac",
        "-cp",
        `${jackson()}/*`,
        "-d",
        join(folder, "classes"),
        // Each is a class of its own name.
        ...programs.map(([, text], index) =>
          write(folder, `Receive${index}.java`, text.replace(/\bReceive\b/g, `Receive${index}`))
        )
      ]
    ],
    serve: (folder, text, port) => [
      ["javac", "-cp", `${jackson()}/*`, "-d", folder, write(folder, "Receive.java", at(text, port))],
      ["java", "-cp", `${jackson()}/*:${folder}`, "Receive"]
    ]
  },
  PHP: {
    needs: [["php", "-r", "exit((int) (PHP_VERSION_ID < 80100));"]],
    check: (folder, programs) =>
      programs.map(([type, text]) => ["php", "-l", write(folder, `${type}.php`, text)]),
    serve: (folder, text, port) => [["php", "-S", `127.0.0.1:${port}`, write(folder, "receive.php", text)]]
  },
  Ruby: {
    needs: [["ruby", "-e", 'exit(RUBY_VERSION >= "3.1")']],
    check: (folder, programs) =>
      programs.map(([type, text]) => ["ruby", "-wc", write(folder, `${type}.rb`, text)]),
    serve: (folder, text, port) => {
      write(folder, "config.ru", text)
      return [["ruby", write(folder, "rack.rb", RACK), String(port)]]
    }
  }
}

/** The first command that the machine lacks. */
export const missingFor = (language: Language): string | undefined =>
  toolchains[language].needs.find(([command, ...args]) => spawnSync(command, args).status !== 0)?.[0]
