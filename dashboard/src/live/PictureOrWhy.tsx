/** The picture with its legend, or a sentence that says why there is none yet, and whether it is up to date. */
import { Link } from "@tanstack/react-router"
import { clockTime, duration } from "../parts/format.ts"
import { Empty, FailureNotice } from "../parts/Notices.tsx"
import { useNow } from "../parts/now.ts"
import { Legend } from "./Legend.tsx"
import classes from "./Live.module.css"
import { Picture } from "./Picture.tsx"
import type { PictureState } from "./usePicture.ts"

const Lost = ({ at, newest }: { readonly at: number; readonly newest: string | undefined }) => (
  <p className={classes["lost"]} role="status">
    <b>No connection to the live ledger for {duration(Math.max(useNow() - at, 1_000), true)}.</b>{" "}
    {newest !== undefined && `The picture ends with the ledger of ${clockTime(Date.parse(newest))}. `}
    Trying again.
  </p>
)

export const PictureOrWhy = ({ picture }: { readonly picture: PictureState }) => {
  const { failure, lostAt, state } = picture.live
  const { newest } = picture
  if (state === "refused") return <FailureNotice failure={failure} />
  return (
    <>
      {lostAt !== undefined && <Lost at={lostAt} newest={newest?.closed_at} />}
      {newest !== undefined ? (
        <>
          <Picture picture={picture} />
          <Legend picture={picture} />
        </>
      ) : state === "open" ? (
        <Empty title="Waiting for the first ledger">
          A network closes one every 3 to 4 seconds. If none appears,{" "}
          <Link to="/coverage">ledger coverage</Link> says what the service waits for.
        </Empty>
      ) : (
        lostAt === undefined && <div style={{ height: picture.height }} />
      )}
    </>
  )
}
