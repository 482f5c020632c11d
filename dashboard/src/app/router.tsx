/** The addresses of all pages. Filters are in the address, so a link shows the same list to a colleague. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router"
import { deliveryFilters } from "../pages/deliveries/filters.ts"
import { eventFilters, networkIn } from "../pages/events/filters.ts"
import { incidentFilters } from "../pages/incidents/filters.ts"
import { jobFilters, newReplaySearch } from "../pages/replay/filters.ts"
import { tabIn, webhookFilters } from "../pages/webhooks/filters.ts"
import { NoSuchPage, PageFailure } from "../parts/Notices.tsx"
import { Shell } from "./Shell.tsx"
import { periodIn, text } from "./search.ts"

const root = createRootRoute({ errorComponent: PageFailure })

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  // The page that was asked for before signing in. `add`: the viewer is signed in and adds a key of the other kind.
  validateSearch: (search: Record<string, unknown>) => ({
    next: text(search["next"]),
    add: search["add"] === true ? true : undefined
  }),
  component: lazyRouteComponent(() => import("../pages/signIn/SignIn.tsx"), "SignIn")
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
      component: lazyRouteComponent(() => import("../pages/overview/Overview.tsx"), "Overview")
    }),
    createRoute({
      ...page("/live"),
      component: lazyRouteComponent(() => import("../pages/live/Live.tsx"), "Live")
    }),
    createRoute({
      ...page("/webhooks"),
      validateSearch: webhookFilters,
      component: lazyRouteComponent(() => import("../pages/webhooks/Webhooks.tsx"), "Webhooks")
    }),
    createRoute({
      ...page("/webhooks/new"),
      validateSearch: (search: Record<string, unknown>) => ({ event_type: text(search["event_type"]) }),
      component: lazyRouteComponent(() => import("../pages/webhooks/NewWebhook.tsx"), "NewWebhook")
    }),
    createRoute({
      ...page("/webhooks/$id"),
      validateSearch: (search: Record<string, unknown>) => ({
        tab: tabIn(search["tab"]),
        period: periodIn(search["period"])
      }),
      component: lazyRouteComponent(() => import("../pages/webhooks/Webhook.tsx"), "Webhook")
    }),
    createRoute({
      ...page("/webhooks/$id/edit"),
      component: lazyRouteComponent(() => import("../pages/webhooks/EditWebhook.tsx"), "EditWebhook")
    }),
    createRoute({
      ...page("/deliveries"),
      validateSearch: deliveryFilters,
      component: lazyRouteComponent(() => import("../pages/deliveries/Deliveries.tsx"), "Deliveries")
    }),
    createRoute({
      ...page("/deliveries/$id"),
      component: lazyRouteComponent(() => import("../pages/deliveries/Delivery.tsx"), "Delivery")
    }),
    createRoute({
      ...page("/events"),
      validateSearch: eventFilters,
      component: lazyRouteComponent(() => import("../pages/events/Events.tsx"), "Events")
    }),
    createRoute({
      ...page("/events/$id"),
      validateSearch: (search: Record<string, unknown>) => ({ network: text(search["network"]) }),
      component: lazyRouteComponent(() => import("../pages/events/Event.tsx"), "Event")
    }),
    createRoute({
      ...page("/catalogue"),
      component: lazyRouteComponent(() => import("../pages/catalogue/Catalogue.tsx"), "Catalogue")
    }),
    createRoute({
      ...page("/catalogue/$type"),
      component: lazyRouteComponent(() => import("../pages/catalogue/Catalogue.tsx"), "CatalogueType")
    }),
    createRoute({
      ...page("/coverage"),
      validateSearch: (search: Record<string, unknown>) => ({ network: networkIn(search["network"]) }),
      component: lazyRouteComponent(() => import("../pages/coverage/Coverage.tsx"), "Coverage")
    }),
    createRoute({
      ...page("/replay"),
      validateSearch: jobFilters,
      component: lazyRouteComponent(() => import("../pages/replay/Replay.tsx"), "Replay")
    }),
    createRoute({
      ...page("/replay/new"),
      validateSearch: newReplaySearch,
      component: lazyRouteComponent(() => import("../pages/replay/NewReplay.tsx"), "NewReplay")
    }),
    createRoute({
      ...page("/replay/$id"),
      component: lazyRouteComponent(() => import("../pages/replay/Job.tsx"), "Job")
    }),
    createRoute({
      ...page("/incidents"),
      validateSearch: incidentFilters,
      component: lazyRouteComponent(() => import("../pages/incidents/Incidents.tsx"), "Incidents")
    }),
    createRoute({
      ...page("/incidents/$id"),
      component: lazyRouteComponent(() => import("../pages/incidents/Incident.tsx"), "Incident")
    }),
    createRoute({
      ...page("/keys"),
      component: lazyRouteComponent(() => import("../pages/keys/Keys.tsx"), "Keys")
    }),
    createRoute({
      ...page("/guides"),
      component: lazyRouteComponent(() => import("../pages/guides/Served.tsx"), "GuideList")
    }),
    createRoute({
      ...page("/guides/$name"),
      component: lazyRouteComponent(() => import("../pages/guides/Served.tsx"), "Guide")
    }),
    createRoute({
      ...page("/reference"),
      component: lazyRouteComponent(() => import("../pages/guides/Served.tsx"), "Reference")
    }),
    createRoute({ ...page("/$"), component: NoSuchPage }),
    createRoute({
      ...page("/account"),
      component: lazyRouteComponent(() => import("../pages/account/Account.tsx"), "Account")
    })
  ])
])

export const router = createRouter({ routeTree, defaultPreload: "intent", scrollRestoration: true })

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
