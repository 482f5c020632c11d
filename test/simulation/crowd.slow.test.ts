/** A new webhook beside many webhooks that hang. */
import { crowdTests } from "./crowdTests.ts"

crowdTests([200])
