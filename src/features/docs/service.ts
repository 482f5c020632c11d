/** What a running service gets from the feature. */
import { makeService } from "../Feature.ts"
import { docsLayer, documentPaths } from "./Docs.ts"

export const service = makeService({ routes: [{ paths: documentPaths, layer: docsLayer }] })
