/** The documents' signature checks in the languages whose compilers take long. */
import { testLanguages } from "./support/tree/signatureLanguages.ts"

testLanguages("Go", "Java")
