/** Text from others is made safe for terminals and logs. */
import { expect, test } from "vitest"
import { printable } from "../../../src/spine/words/Printable.ts"

test("shows control characters, text direction overrides and line separators as escapes", () => {
  expect(printable("\u001b[31mred\u0007")).toBe("\\u001b[31mred\\u0007")
  expect(printable("a\r\nb\tc\u0000")).toBe("a\\u000d\\u000ab\\u0009c\\u0000")
  expect(printable("\u007f\u009b2J")).toBe("\\u007f\\u009b2J")
  expect(printable("safe\u202egnp.exe\u2066\u2028\u2029")).toBe("safe\\u202egnp.exe\\u2066\\u2028\\u2029")
  expect(printable("half \ud83d")).toBe("half \\ud83d")
})

test("leaves every other text alone", () => {
  const text = 'Über "quotes", \\ backslash, 漢字, עברית, 👍🏽'
  expect(printable(text)).toBe(text)
})

test("cuts a text that is longer than allowed", () => {
  expect(printable("abc", 3)).toBe("abc")
  expect(printable("abcd", 3)).toBe("abc…")
  expect(printable("x".repeat(2_000))).toHaveLength(1_001)
})
