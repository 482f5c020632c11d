/** How the body of a request may be compressed: the values of Content-Encoding that a webhook can choose. */

export const compressions = ["gzip", "zstd"] as const
export type Compression = (typeof compressions)[number]
