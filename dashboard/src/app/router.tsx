/** The addresses of all pages. Filters are in the address, so a link shows the same list to a colleague. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router"
import { deliveryFilters } from "../features/deliveries/list/filters.ts"
import { eventFilters, networkIn } from "../features/events/list/filters.ts"
import { incidentFilters } from "../features/health/incidents/filters.ts"
import { jobFilters, newReplaySearch } from "../features/replay/filters.ts"
import { tabIn, webhookFilters } from "../features/webhooks/list/filters.ts"
import { NoSuchPage, PageFailure } from "../ui/page/Notices.tsx"
import { periodIn, text } from "../words/search.ts"
import { Shell } from "./Shell.tsx"

const root = createRootRoute({ errorComponent: PageFailure })

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  // The page that was asked for before signing in. `add`: the viewer is signed in and adds a key of the other kind.
  validateSearch: (search: Record<string, unknown>) => ({
    next: text(search["next"]),
    add: search["add"] === true ? true : undefined
  }),
  component: lazyRouteComponent(() => import("../features/accounts/signIn/SignIn.tsx"), "SignIn")
})

/** Everything that needs a key, inside the frame with the navigation. */
const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell })

const page = <Path extends string>(path: Path) => ({ getParentRoute: () => shell, path })

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([
    createRoute({
      ...page("/"),
      validateSearch: (search: Record<string, unknown>) => ({ period: periodIn(search["period"]) }),
      component: lazyRouteComponent(() => import("../features/overview/Overview.tsx"), "Overview")
    }),
    createRoute({
      ...page("/live"),
      component: lazyRouteComponent(() => import("../features/ledgers/live/Live.tsx"), "Live")
    }),
    createRoute({
      ...page("/webhooks"),
      validateSearch: webhookFilters,
      component: lazyRouteComponent(() => import("../features/webhooks/list/Webhooks.tsx"), "Webhooks")
    }),
    createRoute({
      ...page("/webhooks/new"),
      validateSearch: (search: Record<string, unknown>) => ({ event_type: text(search["event_type"]) }),
      component: lazyRouteComponent(() => import("../features/webhooks/form/NewWebhook.tsx"), "NewWebhook")
    }),
    createRoute({
      ...page("/webhooks/$id"),
      validateSearch: (search: Record<string, unknown>) => ({
        tab: tabIn(search["tab"]),
        period: periodIn(search["period"])
      }),
      component: lazyRouteComponent(() => import("../features/webhooks/webhook/Webhook.tsx"), "Webhook")
    }),
    createRoute({
      ...page("/webhooks/$id/edit"),
      component: lazyRouteComponent(() => import("../features/webhooks/form/EditWebhook.tsx"), "EditWebhook")
    }),
    createRoute({
      ...page("/deliveries"),
      validateSearch: deliveryFilters,
      component: lazyRouteComponent(() => import("../features/deliveries/list/Deliveries.tsx"), "Deliveries")
    }),
    createRoute({
      ...page("/deliveries/$id"),
      component: lazyRouteComponent(() => import("../features/deliveries/delivery/Delivery.tsx"), "Delivery")
    }),
    createRoute({
      ...page("/events"),
      validateSearch: eventFilters,
      component: lazyRouteComponent(() => import("../features/events/list/Events.tsx"), "Events")
    }),
    createRoute({
      ...page("/events/$id"),
      validateSearch: (search: Record<string, unknown>) => ({ network: text(search["network"]) }),
      component: lazyRouteComponent(() => import("../features/events/event/Event.tsx"), "Event")
    }),
    createRoute({
      ...page("/catalogue"),
      component: lazyRouteComponent(() => import("../features/events/catalogue/Catalogue.tsx"), "Catalogue")
    }),
    createRoute({
      ...page("/catalogue/$type"),
      component: lazyRouteComponent(
        () => import("../features/events/catalogue/Catalogue.tsx"),
        "CatalogueType"
      )
    }),
    createRoute({
      ...page("/coverage"),
      validateSearch: (search: Record<string, unknown>) => ({ network: networkIn(search["network"]) }),
      component: lazyRouteComponent(() => import("../features/ledgers/coverage/Coverage.tsx"), "Coverage")
    }),
    createRoute({
      ...page("/replay"),
      validateSearch: jobFilters,
      component: lazyRouteComponent(() => import("../features/replay/Replay.tsx"), "Replay")
    }),
    createRoute({
      ...page("/replay/new"),
      validateSearch: newReplaySearch,
      component: lazyRouteComponent(() => import("../features/replay/NewReplay.tsx"), "NewReplay")
    }),
    createRoute({
      ...page("/replay/$id"),
      component: lazyRouteComponent(() => import("../features/replay/Job.tsx"), "Job")
    }),
    createRoute({
      ...page("/incidents"),
      validateSearch: incidentFilters,
      component: lazyRouteComponent(() => import("../features/health/incidents/Incidents.tsx"), "Incidents")
    }),
    createRoute({
      ...page("/incidents/$id"),
      component: lazyRouteComponent(() => import("../features/health/incidents/Incident.tsx"), "Incident")
    }),
    createRoute({
      ...page("/keys"),
      component: lazyRouteComponent(() => import("../features/accounts/keys/Keys.tsx"), "Keys")
    }),
    createRoute({
      ...page("/guides"),
      component: lazyRouteComponent(() => import("../features/docs/Served.tsx"), "GuideList")
    }),
    createRoute({
      ...page("/guides/$name"),
      component: lazyRouteComponent(() => import("../features/docs/Served.tsx"), "Guide")
    }),
    createRoute({
      ...page("/reference"),
      component: lazyRouteComponent(() => import("../features/docs/Served.tsx"), "Reference")
    }),
    createRoute({ ...page("/$"), component: NoSuchPage }),
    createRoute({
      ...page("/account"),
      component: lazyRouteComponent(() => import("../features/accounts/plan/Account.tsx"), "Account")
    })
  ])
])

export const router = createRouter({ routeTree, defaultPreload: "intent", scrollRestoration: true })

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
