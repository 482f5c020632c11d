/**
 * Next.js, in `app/hooks/route.ts`: `export const POST = nextHandler(receiver)`, with the runtime `nodejs` (the
 * default).
 */
export { webHandler as nextHandler } from "./web.ts"
