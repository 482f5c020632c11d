/** The pages by name and icon, beside every page, before anything is known of the account. On a narrow screen they open from a bar at the top. */
import { Burger } from "@mantine/core"
import { IconCircleXFilled } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { Fragment, Suspense } from "react"
import { useWebhookCounts } from "../api/webhooks.ts"
import icon from "../look/icon.svg"
import { Networks } from "./Networks.tsx"
import { SearchButton, SearchIcon, useSearch } from "./palette/Search.tsx"
import { navigation, type Place } from "./places.ts"
import classes from "./Shell.module.css"
import { SignedIn } from "./SignedIn.tsx"

/** How many webhooks fail, beside the link to them. */
const Failing = () => {
  const failing = useWebhookCounts().data?.states.failing ?? 0
  if (failing === 0) return null
  return (
    <span className={classes["tag"]}>
      <IconCircleXFilled size={14} aria-hidden />
      <span className={classes["hidden"]}>, failing:</span> {failing}
    </span>
  )
}

const PlaceLink = ({ to, label, icon: Icon }: Place) => (
  <Link to={to} className={classes["link"]} activeOptions={{ exact: to === "/", includeSearch: false }}>
    <Icon size={18} stroke={1.6} aria-hidden />
    {label}
    {to === "/webhooks" && (
      <Suspense fallback={null}>
        <Failing />
      </Suspense>
    )}
  </Link>
)

interface NavigationProps {
  readonly open: boolean
  readonly setOpen: (open: boolean) => void
}

export const Navigation = ({ open, setOpen }: NavigationProps) => {
  const search = useSearch()
  return (
    <nav className={classes["nav"]} aria-label="Pages" data-open={open}>
      <div className={classes["top"]}>
        <Link to="/" className={classes["brand"]} activeProps={{}}>
          <img src={icon} alt="" />
          Ledgerhook
        </Link>
        <div className={classes["burger"]}>
          <SearchIcon open={search.open} />
          <Burger
            size="sm"
            opened={open}
            onClick={() => setOpen(!open)}
            aria-label={open ? "Close the menu" : "Open the menu"}
            aria-expanded={open}
          />
        </div>
      </div>
      <div className={classes["pages"]}>
        <Suspense fallback={<div className={classes["whoComes"]} />}>
          <SignedIn />
        </Suspense>
        <SearchButton open={search.open} />
        {search.dialog}
        {navigation.map(([heading, places]) => (
          <Fragment key={places[0]!.to}>
            {heading && <div className={classes["group"]}>{heading}</div>}
            {places.map((place) => (
              <PlaceLink key={place.to} {...place} />
            ))}
          </Fragment>
        ))}
        <Suspense fallback={null}>
          <Networks />
        </Suspense>
      </div>
    </nav>
  )
}
