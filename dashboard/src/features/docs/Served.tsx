/**
 * A page of the documentation inside the dashboard: the page that the service serves to everybody, without its own frame.
 * Its links stay in the dashboard where this has the same page.
 */
import { useSuspenseQuery } from "@tanstack/react-query"
import { useParams, useRouter, useRouterState } from "@tanstack/react-router"
import { type MouseEvent, useLayoutEffect, useRef } from "react"
import "./docs.css"
import { NoSuchPage } from "../../ui/page/Notices.tsx"
import { enliven } from "./enliven.ts"
import { inDashboard } from "./paths.ts"

const NOT_FOUND = 404

/** The text of the page; undefined if the service has none there. */
const load = async (path: string): Promise<string | undefined> => {
  const response = await fetch(path)
  if (response.ok) return response.text()
  if (response.status === NOT_FOUND) return undefined
  throw new Error(`The service answered ${response.status}.`)
}

/** The part of the page that has its content, with links for the dashboard. */
const contentOf = (page: string): HTMLElement => {
  const content = new DOMParser().parseFromString(page, "text/html").querySelector<HTMLElement>(".docs")!
  for (const link of content.querySelectorAll("a")) {
    const href = link.getAttribute("href") ?? ""
    link.setAttribute("href", inDashboard(href) ?? href)
  }
  return content
}

const Served = ({ path }: { readonly path: string }) => {
  const { data: page } = useSuspenseQuery({
    queryKey: ["documentation", path],
    queryFn: async () => (await load(path)) ?? null,
    staleTime: Number.POSITIVE_INFINITY
  })
  const router = useRouter()
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (page === null) return
    const content = contentOf(page)
    frame.current!.replaceChildren(content)
    document.title = `${content.querySelector("h1")?.textContent ?? "Guides"} · Ledgerhook`
    return enliven(content, (to) => inDashboard(to) ?? to)
  }, [page])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the section is in the page.
  useLayoutEffect(() => {
    if (hash !== "") document.getElementById(hash)?.scrollIntoView()
  }, [hash, page])
  if (page === null) return <NoSuchPage />

  /** The router opens the dashboard's own pages; the browser does the rest. */
  const onClick = (event: MouseEvent) => {
    const link = (event.target as Element).closest("a")
    if (link === null || link.origin !== location.origin || !/^\/(?:guides|reference)\b/.test(link.pathname))
      return
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    router.history.push(link.pathname + link.hash)
  }
  return (
    // biome-ignore lint/a11y: the links inside have the focus and the keys.
    <div ref={frame} className="docs-frame" onClick={onClick} />
  )
}

export const GuideList = () => <Served path="/docs/guides" />

export const Guide = () => {
  const { name } = useParams({ from: "/shell/guides/$name" })
  return <Served path={`/docs/${encodeURIComponent(name)}`} />
}

export const Reference = () => <Served path="/docs" />
