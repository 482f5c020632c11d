/** What the keys open, loaded after the page. */
export { Keys } from "./Keys.tsx"
export { Palette } from "./Palette.tsx"
