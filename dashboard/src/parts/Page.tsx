/** A page's title, its actions, and its content. The title is the tab's title too. */
import { type ReactNode, useEffect } from "react"

interface PageProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const Page = ({ title, actions, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Ledgerhook`
  }, [title])
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        {actions && <div className="row">{actions}</div>}
      </div>
      <div className="stack">{children}</div>
    </>
  )
}

/** A box with a heading. */
export const Panel = ({ title, children }: { readonly title?: string; readonly children: ReactNode }) => (
  <section className="panel">
    {title && <h2>{title}</h2>}
    {children}
  </section>
)
