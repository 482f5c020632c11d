/** How far below the top the section of a fault comes to stand. */
const TOP_PIXELS = 96

/** Scrolls to the section and focuses its first control with a fault, or its first one. */
export const toFault = (form: HTMLElement, name: string): void => {
  const section = form.querySelector(`[data-section="${name}"]`)
  if (section === null) return
  const control =
    section.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    section.querySelector<HTMLElement>("input, textarea, button")
  const top = (element: Element) => element.getBoundingClientRect().top
  // In a tall section its own top would leave the control out of sight.
  const isNear = control === null || top(control) - top(section) < window.innerHeight / 2
  window.scrollTo({ top: window.scrollY + top(isNear ? section : control) - TOP_PIXELS })
  control?.focus({ preventScroll: true })
}
