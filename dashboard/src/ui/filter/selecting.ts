/** How every searchable list of choices behaves. */

/**
 * The list scrolls natively: the library's own scroll area needs a <style> element, which the CSP forbids. It stands
 * beside its input in the document, so that it belongs to the same landmark.
 */
export const choices = {
  searchable: true,
  clearable: true,
  withScrollArea: false,
  nothingFoundMessage: "Nothing has this name",
  comboboxProps: { width: "max-content", position: "bottom-start", withinPortal: false },
  styles: { dropdown: { maxWidth: "min(28rem, 90vw)" }, options: { maxHeight: "18rem", overflowY: "auto" } }
} as const
