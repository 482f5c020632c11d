/** SGR codes of terminal colours and styles. */
export const BOLD = 1
export const DIM = 2
export const RED = 31
export const GREEN = 32
export const YELLOW = 33

export const painter =
  (wanted: boolean) =>
  (text: string, code: number | undefined): string =>
    wanted && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text
