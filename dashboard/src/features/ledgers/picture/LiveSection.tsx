/** The live ledger on the overview. */
import { Button } from "@mantine/core"
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { Section } from "../../../ui/page/Page.tsx"
import { clockTime, plural } from "../../../words/format.ts"
import classes from "./Live.module.css"
import { PictureOrWhy } from "./PictureOrWhy.tsx"
import { usePicture } from "./usePicture.ts"

export const LiveSection = () => {
  const picture = usePicture({ share: 0.734, highest: 300, mostRows: 9 })
  const { behind, network, pausedAt, shown } = picture
  return (
    <Section
      title="Live ledger"
      note={
        network !== undefined &&
        (pausedAt === undefined ? (
          <>
            {network}
            <span className={classes["wide"]}>
              , the last {plural(shown.length, "ledger")}; a square is an event
            </span>
          </>
        ) : (
          `${network}, paused at ${clockTime(pausedAt)}, ${plural(behind, "ledger")} behind`
        ))
      }
      actions={
        <>
          {network !== undefined && (
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              leftSection={
                pausedAt === undefined ? (
                  <IconPlayerPauseFilled size={16} aria-hidden />
                ) : (
                  <IconPlayerPlayFilled size={16} aria-hidden />
                )
              }
              onClick={pausedAt === undefined ? picture.pause : picture.resume}
            >
              {pausedAt === undefined ? "Pause" : "Resume"}
            </Button>
          )}
          <Button size="xs" variant="default" component={Link} to="/live">
            Open
          </Button>
        </>
      }
    >
      <PictureOrWhy picture={picture} />
    </Section>
  )
}
