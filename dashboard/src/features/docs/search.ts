/** Finds sections of the documentation by words. Pure. */
import MiniSearch from "minisearch"

export interface Section {
  /** Its address, such as `/docs/replay#limits`. */
  readonly to: string
  readonly page: string
  readonly title: string
  /** A block a line. */
  readonly text: string
}

export interface Found extends Section {
  /** The sentence that says the most of the words, cut where a word matches: every second part is a match. */
  readonly sentence: ReadonlyArray<string>
}

export type FindSections = (words: string) => ReadonlyArray<Found>

/** The form of a word that "rotate", "rotates", "rotated" and "rotating" share. */
const stem = (word: string): string => word.toLowerCase().replace(/(?<=\p{L}{4})(?:ing|ed|es|e|s)$/u, "")

const MOST = 40
/** The part of a word's letters that may be wrong: 2 of 6. */
const MISTAKES = 0.34
/** A longer sentence is cut around its first match. */
const SENTENCE_CHARACTERS = 240

const WORD = /[\p{L}\p{N}_]+/gu

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => line.split(/(?<=[.:!?])\s+(?=[^\s])/))

const matchesIn = (sentence: string, terms: ReadonlySet<string>) =>
  [...sentence.matchAll(WORD)].filter(([word]) => terms.has(stem(word)))

const cut = (sentence: string, at: number): string => {
  if (sentence.length <= SENTENCE_CHARACTERS) return sentence
  const from = Math.max(0, Math.min(at - 40, sentence.length - SENTENCE_CHARACTERS))
  return `${from > 0 ? "… " : ""}${sentence.slice(from, from + SENTENCE_CHARACTERS)} …`
}

/** `terms`: stems. */
export const sentenceWith = (text: string, terms: ReadonlySet<string>): ReadonlyArray<string> => {
  const kinds = (sentence: string) => new Set(matchesIn(sentence, terms).map(([word]) => stem(word))).size
  const [first = "", ...others] = sentencesOf(text)
  const best = others.reduce((best, one) => (kinds(one) > kinds(best) ? one : best), first)
  const shown = cut(best, matchesIn(best, terms)[0]?.index ?? 0)
  const parts: Array<string> = []
  let end = 0
  for (const match of matchesIn(shown, terms)) {
    parts.push(shown.slice(end, match.index), match[0])
    end = match.index + match[0].length
  }
  return [...parts, shown.slice(end)]
}

/** Sections that have all of the words, those first that have them in the heading. Spelling mistakes are forgiven. */
export const makeSearch = (sections: ReadonlyArray<Section>): FindSections => {
  const index = new MiniSearch<Section>({
    idField: "to",
    fields: ["title", "page", "text"],
    tokenize: (text) => text.match(WORD) ?? [],
    processTerm: stem,
    searchOptions: {
      boost: { title: 4, page: 2 },
      combineWith: "AND",
      prefix: (term) => term.length > 2
    }
  })
  const byAddress = new Map(sections.map((section) => [section.to, section]))
  index.addAll([...byAddress.values()])
  /** As typed; if nothing has these words, with spelling mistakes. */
  const search = (words: string) => {
    const exact = index.search(words)
    return exact.length > 0 ? exact : index.search(words, { fuzzy: MISTAKES })
  }
  return (words) =>
    search(words)
      .slice(0, MOST)
      .map(({ id, terms }) => {
        const section = byAddress.get(id)!
        return { ...section, sentence: sentenceWith(section.text, new Set(terms)) }
      })
}
