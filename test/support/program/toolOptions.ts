/** The options of the programs that developers run by hand: wrong ones end the program with a sentence and the usage. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"

export const FAILED = 1
const WRONG_USAGE = 2

const end = (code: number, text: string): never => {
  const stream = code === 0 ? process.stdout : process.stderr
  stream.write(text)
  process.exit(code)
}

/** `--help` prints the usage and ends the program. */
export const toolOptions = <const O extends ParseArgsOptionsConfig>(
  tool: string,
  usage: string,
  options: O
) => {
  const refuse = (problem: string): never => end(WRONG_USAGE, `${tool}: ${problem}\n\n${usage}`)
  const read = () => {
    try {
      return parseArgs({ options: { ...options, help: { type: "boolean", default: false } } }).values
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error))
    }
  }
  const given = read()
  if ("help" in given && given.help === true) end(0, usage)
  return {
    given,
    refuse,
    wholeNumber: (option: string, text: string, least: number): number =>
      /^\d{1,9}$/.test(text) && Number(text) >= least
        ? Number(text)
        : refuse(`--${option} is ${text}; give a whole number from ${least} on.`)
  }
}
