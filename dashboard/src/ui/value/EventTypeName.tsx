/** An event type, a family or everything, with the colour of its family. */
import classes from "./EventTypeName.module.css"

const familyOf = (pattern: string): string => pattern.split(".")[0]!
/** In the order in which pictures have them. */
const all = ["payment", "dex", "nft", "trustline", "account", "escrow", "check"]

const Dot = ({ family }: { readonly family: string }) => (
  <i className={classes["dot"]} style={{ background: `var(--f-${family}, var(--idle))` }} />
)

export const EventTypeName = ({ children }: { readonly children: string }) => (
  <span className={classes["name"]}>
    {children === "*" ? (
      <>
        <span className={classes["dots"]}>
          {all.map((family) => (
            <Dot key={family} family={family} />
          ))}
        </span>
        everything
      </>
    ) : (
      <>
        <Dot family={familyOf(children)} />
        {children}
      </>
    )}
  </span>
)
