/** Turns the events of one file, as the JSON text of their records, into the file's bytes, group by group. */
export interface Encoder {
  /** At least one value. Throws if a value does not fit the format. */
  readonly group: (values: ReadonlyArray<string>) => Uint8Array
  /** What follows the last group. */
  readonly end: () => Uint8Array
}
