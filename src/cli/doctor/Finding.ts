/** The result of one check of `doctor`. */
export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "problem"
  readonly detail: string
  /** What to do about it; empty when nothing needs to be done. */
  readonly mend: string
}

/** What a check found bad. */
export interface Fault {
  readonly detail: string
  readonly mend: string
}
