/** A number with its name, and a detail under it. */
import type { ReactNode } from "react"

interface FigureProps {
  readonly label: string
  readonly value: string
  readonly detail: ReactNode
  readonly tone?: "bad" | undefined
}

export const Figure = ({ label, value, detail, tone }: FigureProps) => (
  <section className="panel" aria-label={label}>
    <div className="quiet">{label}</div>
    <div className="figure-value" style={tone && { color: `var(--${tone})` }}>
      {value}
    </div>
    <div className="quiet">{detail}</div>
  </section>
)
