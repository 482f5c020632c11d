/** The README's signature checks in the languages whose compilers take long. */
import { testLanguages } from "./support/readmeLanguages.ts"

testLanguages("Go", "Java")
