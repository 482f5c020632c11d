/** What is shown until data comes: its shape, after a moment, so that a quick answer does not flicker. */
import { Skeleton } from "@mantine/core"
import classes from "./Loading.module.css"

/** The widths of lines, so that they look like text. */
const WIDTHS = ["62%", "88%", "74%", "46%"]

/** `height`: of each line in pixels. */
export const Loading = ({
  lines = 4,
  height = 14
}: {
  readonly lines?: number
  readonly height?: number
}) => (
  <div className={classes["loading"]} role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity.
      <Skeleton key={line} height={height} width={WIDTHS[line % WIDTHS.length]!} radius="sm" />
    ))}
  </div>
)
