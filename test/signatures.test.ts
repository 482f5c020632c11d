/** The README's signature checks in the languages that start at once; readme.slow.test.ts has those with a compiler. */
import { testLanguages } from "./support/signatureLanguages.ts"

testLanguages("TypeScript", "Python")
