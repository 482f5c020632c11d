/** What retry jobs select, for more seeds than Retryable.test.ts has. */
import { retryableTests } from "./retryableBySeed.ts"

retryableTests([2, 3])
