/** Icons of Tabler (MIT), by the paths in them, for a script without React. */
const SVG = "http://www.w3.org/2000/svg"

export const SEARCH = "M3 10a7 7 0 1 0 14 0a7 7 0 1 0 -14 0M21 21l-6 -6"
export const COPY =
  "M7 9.667a2.667 2.667 0 0 1 2.667 -2.667h8.666a2.667 2.667 0 0 1 2.667 2.667v8.666a2.667 2.667 0 0 1 -2.667 2.667h-8.666a2.667 2.667 0 0 1 -2.667 -2.667l0 -8.666M4.012 16.737a2.005 2.005 0 0 1 -1.012 -1.737v-10c0 -1.1 .9 -2 2 -2h10c.75 0 1.158 .385 1.5 1"

export const iconOf = (drawing: string): SVGSVGElement => {
  const icon = document.createElementNS(SVG, "svg")
  const attributes = {
    width: "16",
    height: "16",
    viewBox: "0 0 24 24",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "1.9",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    "aria-hidden": "true"
  }
  for (const [name, value] of Object.entries(attributes)) icon.setAttribute(name, value)
  const path = document.createElementNS(SVG, "path")
  path.setAttribute("d", drawing)
  icon.append(path)
  return icon
}
