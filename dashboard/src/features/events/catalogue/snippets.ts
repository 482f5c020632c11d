/**
 * Programs that receive one event type: each verifies the signature, answers, and has the payload's own fields with
 * their types. They listen on port 4000 and read the secret from LEDGERHOOK_SECRET. Tests compile or run them. Pure.
 */
import { go, java } from "./snippetCompiled.ts"
import { shownFields, type TypedField, type Wanted } from "./snippetFields.ts"
import { php, python, ruby, typeScript } from "./snippetScripts.ts"

export const languages = ["TypeScript", "Python", "Go", "Java", "PHP", "Ruby"] as const
export type Language = (typeof languages)[number]

/** What a program needs, and how it is started. */
export const needs: Record<Language, string> = {
  TypeScript:
    "Node.js 20 and the package ledgerhook-receiver, which also takes batches, compression and CloudEvents.",
  Python:
    "Python 3.10 and the package ledgerhook_receiver, which also takes batches, compression and CloudEvents.",
  Go: "Go 1.22, and nothing else. One event a request, not compressed.",
  Java: "Java 17 and jackson-databind. One event a request, not compressed.",
  PHP: "PHP 8.1: php -S 0.0.0.0:4000 receive.php. One event a request, not compressed.",
  Ruby: "Ruby 3.1 with any Rack server: rackup --port 4000 config.ru. One event a request, not compressed."
}

const templates: Record<Language, (wanted: Wanted) => string> = {
  TypeScript: typeScript,
  Python: python,
  Go: go,
  Java: java,
  PHP: php,
  Ruby: ruby
}

export const snippetOf = (language: Language, type: string, fields: ReadonlyArray<TypedField>): string =>
  templates[language]({ type, fields, shown: shownFields(fields) })
