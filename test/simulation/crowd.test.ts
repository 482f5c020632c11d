/** A new webhook beside up to 50 webhooks that hang. crowd.slow.test.ts has more. */
import { crowdTests } from "./crowdTests.ts"

crowdTests([1, 11, 50])
