/** The picture with its legend, or a sentence that says why there is none yet, and whether it is up to date. */
import { Link } from "@tanstack/react-router"
import type { ApiFailure } from "../../../api/call.ts"
import { Empty, FailureNotice } from "../../../ui/page/Notices.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { clockTime, duration } from "../../../words/format.ts"
import { Legend } from "./Legend.tsx"
import classes from "./Live.module.css"
import { Picture } from "./Picture.tsx"
import type { PictureState } from "./usePicture.ts"

interface LostProps {
  readonly at: number
  readonly because: ApiFailure | undefined
  /** When the newest ledger of the picture closed. */
  readonly newest: string | undefined
}

const Lost = ({ at, because, newest }: LostProps) => (
  <p className={classes["lost"]} role="status">
    <b>No connection to the live ledger for {duration(Math.max(useNow() - at, 1_000), true)}.</b>{" "}
    {newest !== undefined && `The picture ends with the ledger of ${clockTime(Date.parse(newest))}. `}
    {because !== undefined && because.status > 0 && <PlainText>{`${because.message} `}</PlainText>}
    Trying again.
  </p>
)

export const PictureOrWhy = ({ picture }: { readonly picture: PictureState }) => {
  const { failure, lostAt, state } = picture.live
  const { newest } = picture
  if (state === "refused") return <FailureNotice failure={failure} />
  return (
    <>
      {lostAt !== undefined && <Lost at={lostAt} because={failure} newest={newest?.closed_at} />}
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
