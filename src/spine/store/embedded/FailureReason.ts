/** Finds the reason in what PostgreSQL's programs print when they fail; it is rarely the last line. Pure. */

/** Time, zone and process: the beginning of each line of the server. */
const PREFIX = /^\d{4}-\d\d-\d\d [\d:.]+ \S+ \[\d+\] /
const FAILURE = /^(?:FATAL|PANIC|ERROR|initdb: error): +/
const DETAIL = /^DETAIL: +/
/** Lines that follow the reason. */
const AFTERWARDS = /^(?:initdb: removing |child process |LOG: |HINT: |STATEMENT: |DETAIL: )/

export const reasonIn = (output: string): string => {
  const lines = output
    .split("\n")
    .map((line) => line.trim().replace(PREFIX, ""))
    .filter((line) => line !== "")
  const at = lines.findIndex((line) => FAILURE.test(line))
  if (at !== -1) {
    const next = lines[at + 1] ?? ""
    const detail = DETAIL.test(next) ? `: ${next.replace(DETAIL, "").replace(/\.$/, "")}` : ""
    return lines[at]!.replace(FAILURE, "") + detail
  }
  return lines.findLast((line) => !AFTERWARDS.test(line)) ?? lines.at(-1) ?? "no reason given"
}
