/** A page's headline, what it is part of, its actions, and its content. The headline is the tab's title too. */
import { IconChevronRight } from "@tabler/icons-react"
import { Link, type LinkProps } from "@tanstack/react-router"
import { Fragment, type ReactNode, useEffect, useId } from "react"
import classes from "./Page.module.css"

interface Within {
  readonly to: LinkProps["to"]
  readonly search?: LinkProps["search"]
  readonly label: string
}

interface PageProps {
  readonly title: string
  readonly icon?: ReactNode
  /** The list that the page's thing is in; several, if it is in a list that is in another. */
  readonly within?: Within | ReadonlyArray<Within>
  /** What the thing is called after that list. By default its headline. */
  readonly name?: string
  /** What else the headline would say, under it. */
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const Page = ({ title, icon, within, name = title, note, actions, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Ledgerhook`
  }, [title])
  return (
    <>
      {within && (
        <div className={classes["within"]}>
          {[within].flat().map(({ label, search, to }) => (
            <Fragment key={label}>
              <Link to={to} search={search}>
                {label}
              </Link>
              <IconChevronRight size={14} aria-hidden />
            </Fragment>
          ))}
          <b aria-hidden>{name}</b>
        </div>
      )}
      <div className={classes["head"]}>
        <div className={classes["words"]}>
          <h1 className={icon ? classes["withIcon"] : undefined}>
            {icon}
            {title}
          </h1>
          {note && <div className={classes["note"]}>{note}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      <div className="stack">{children}</div>
    </>
  )
}

interface SectionProps {
  readonly title?: string
  /** Beside the title, quietly. */
  readonly note?: ReactNode
  /** At the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page, with a heading. */
export const Section = ({ title, note, actions, children }: SectionProps) => {
  const id = useId()
  return (
    <section className="section" aria-labelledby={title && id}>
      {title && (
        <div className="section-head">
          <h2 id={id}>{title}</h2>
          {note && <span className="note">{note}</span>}
          {actions && <div className="row">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  )
}
