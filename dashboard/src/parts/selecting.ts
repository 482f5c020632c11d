/** How every searchable list of choices behaves. */

/** The list scrolls natively: the library's own scroll area needs a <style> element, which the CSP forbids. */
export const choices = {
  searchable: true,
  clearable: true,
  withScrollArea: false,
  nothingFoundMessage: "Nothing has this name",
  comboboxProps: { width: "max-content", position: "bottom-start" },
  styles: { dropdown: { maxHeight: "18rem", maxWidth: "min(28rem, 90vw)", overflowY: "auto" } }
} as const
