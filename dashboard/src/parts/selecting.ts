/** How every searchable list of choices behaves. */

/** The list scrolls natively: the component library's own scroll area needs a <style> element, which the CSP forbids. */
export const choices = {
  searchable: true,
  clearable: true,
  withScrollArea: false,
  nothingFoundMessage: "Nothing has this name",
  styles: { dropdown: { maxHeight: "18rem", overflowY: "auto" } }
} as const
