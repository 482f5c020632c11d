/** Every page by name: the navigation shows those of a group, the search all. */
import {
  IconActivity,
  IconActivityHeartbeat,
  IconApi,
  IconBook2,
  IconCircleXFilled,
  IconGridDots,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconReceipt,
  IconRefresh,
  IconSend2,
  IconStack2,
  IconWebhook
} from "@tabler/icons-react"

export interface Place {
  /** An address of this app. */
  readonly to: string
  readonly label: string
  readonly icon: typeof IconWebhook
  /** What it is for, where the name does not say it. */
  readonly detail?: string
}

/** By the heading over them in the navigation; those at the top have none. */
export const navigation: ReadonlyArray<readonly [heading: string | undefined, places: ReadonlyArray<Place>]> =
  [
    [
      undefined,
      [
        { to: "/", label: "Overview", icon: IconLayoutDashboard, detail: "the state of everything" },
        { to: "/live", label: "Live ledger", icon: IconActivity, detail: "each ledger, as it happens" },
        { to: "/webhooks", label: "Webhooks", icon: IconWebhook, detail: "who gets what" },
        { to: "/deliveries", label: "Deliveries", icon: IconSend2, detail: "requests and their answers" },
        { to: "/events", label: "Events", icon: IconStack2, detail: "what happened on the ledger" }
      ]
    ],
    [
      "Ledger",
      [
        { to: "/coverage", label: "Coverage", icon: IconGridDots, detail: "which ledgers were taken" },
        { to: "/replay", label: "Replays", icon: IconHistory, detail: "past events, sent again" }
      ]
    ],
    [
      "Build",
      [
        {
          to: "/catalogue",
          label: "Event catalogue",
          icon: IconListDetails,
          detail: "types, fields, examples, code"
        },
        { to: "/reference", label: "API reference", icon: IconApi },
        { to: "/guides", label: "Guides", icon: IconBook2, detail: "how to receive, replay and run it" }
      ]
    ],
    [
      "Account",
      [
        { to: "/keys", label: "API keys", icon: IconKey },
        { to: "/account", label: "Plan and usage", icon: IconReceipt, detail: "quota, notices" }
      ]
    ]
  ]

const others: ReadonlyArray<Place> = [
  { to: "/webhooks?health=failing", label: "Failing webhooks", icon: IconCircleXFilled },
  { to: "/deliveries?status=retrying", label: "Deliveries that wait for a retry", icon: IconRefresh },
  { to: "/deliveries?status=failed", label: "Failed deliveries", icon: IconCircleXFilled },
  { to: "/incidents", label: "Incidents", icon: IconActivityHeartbeat, detail: "when webhooks were failing" }
]

export const places: ReadonlyArray<Place> = [...navigation.flatMap(([, group]) => group), ...others]
