/** A page of the documentation that is opened without the dashboard: its style, its colours and what its script adds. */
import "./public.css"
import { enliven } from "./enliven.ts"

/** Where the dashboard keeps what the viewer has chosen there. */
const CHOSEN = "mantine-color-scheme-value"

const dark = matchMedia("(prefers-color-scheme: dark)")
const colour = () => {
  const chosen = localStorage.getItem(CHOSEN)
  document.documentElement.dataset["mantineColorScheme"] =
    chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light"
}
dark.addEventListener("change", colour)
colour()

enliven(document.querySelector<HTMLElement>(".docs")!)
