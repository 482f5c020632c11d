/** The pages by name and icon, beside every page. On a narrow screen they open from a bar at the top. */
import { Burger } from "@mantine/core"
import {
  IconActivityHeartbeat,
  IconApi,
  IconBook2,
  IconCircleXFilled,
  IconGridDots,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconReceipt,
  IconSend2,
  IconStack2,
  IconWebhook
} from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useWebhookCounts } from "../api/webhooks.ts"
import icon from "../icon.svg"
import { Networks } from "./Networks.tsx"
import classes from "./Shell.module.css"
import { SignedIn } from "./SignedIn.tsx"

type Icon = typeof IconWebhook

const iconOf = (Of: Icon) => <Of size={18} stroke={1.6} aria-hidden />

const first = [
  { to: "/", label: "Overview", icon: IconLayoutDashboard },
  { to: "/webhooks", label: "Webhooks", icon: IconWebhook },
  { to: "/deliveries", label: "Deliveries", icon: IconSend2 },
  { to: "/events", label: "Events", icon: IconStack2 }
] as const

const ledger = [
  { to: "/coverage", label: "Coverage", icon: IconGridDots },
  { to: "/replay", label: "Replays", icon: IconHistory }
] as const

const account = [
  { to: "/keys", label: "API keys", icon: IconKey },
  { to: "/account", label: "Plan and usage", icon: IconReceipt }
] as const

/** Pages of the service that are not part of this app. */
const documents = [
  { href: "/docs/event-types", label: "Event types", icon: IconActivityHeartbeat },
  { href: "/docs", label: "API reference", icon: IconApi },
  { href: "/docs/guides", label: "Guides", icon: IconBook2 }
] as const

type To = (typeof first | typeof ledger | typeof account)[number]

const PageLink = ({ to, label, icon, tag }: To & { readonly tag?: ReactNode }) => (
  <Link to={to} className={classes["link"]} activeOptions={{ exact: to === "/", includeSearch: false }}>
    {iconOf(icon)}
    {label}
    {tag}
  </Link>
)

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

interface NavigationProps {
  readonly open: boolean
  readonly setOpen: (open: boolean) => void
}

export const Navigation = ({ open, setOpen }: NavigationProps) => (
  <nav className={classes["nav"]} aria-label="Pages" data-open={open}>
    <div className={classes["top"]}>
      <Link to="/" className={classes["brand"]} activeProps={{}}>
        <img src={icon} alt="" />
        Ledgerhook
      </Link>
      <div className={classes["burger"]}>
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
      <SignedIn />
      {first.map((one) => (
        <PageLink key={one.to} {...one} tag={one.to === "/webhooks" && <Failing />} />
      ))}
      <div className={classes["group"]}>Ledger</div>
      {ledger.map((one) => (
        <PageLink key={one.to} {...one} />
      ))}
      <div className={classes["group"]}>Build</div>
      {documents.map(({ href, label, icon }) => (
        <a key={href} className={classes["link"]} href={href}>
          {iconOf(icon)}
          {label}
        </a>
      ))}
      <div className={classes["group"]}>Account</div>
      {account.map((one) => (
        <PageLink key={one.to} {...one} />
      ))}
      <Networks />
    </div>
  </nav>
)
