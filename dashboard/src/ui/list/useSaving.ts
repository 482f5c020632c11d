/** Reads rows and saves them as a file, and says how far that is. */
import { useMutation } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { download } from "./download.ts"
import { type Fields, type FileFormat, fileFormats, fileName } from "./exporting.ts"

export interface Saved<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Says what was saved. */
  readonly text: string
}

interface Saving {
  readonly save: (format: FileFormat) => void
  /** The format that is being saved. */
  readonly pending: FileFormat | undefined
  /** How many rows are read, while one waits for them. */
  readonly read: number
  /** What was saved, or why it was not. */
  readonly text: string | undefined
}

/** `what`: the rows, such as "events". The file is named after them. Reading stops when the component goes. */
export const useSaving = <Row>(
  what: string,
  fields: Fields<Row>,
  readRows: (onProgress: (rows: number) => void, signal: AbortSignal) => Promise<Saved<Row>>
): Saving => {
  const [read, setRead] = useState(0)
  const reading = useRef<AbortController>(undefined)
  useEffect(() => () => reading.current?.abort(), [])
  const saving = useMutation({
    mutationFn: async (format: FileFormat) => {
      reading.current = new AbortController()
      setRead(0)
      const { rows, text } = await readRows(setRead, reading.current.signal)
      const { type, write } = fileFormats[format]
      download(fileName(what, new Date(), format), type, write(rows, fields))
      return text
    }
  })
  return {
    save: saving.mutate,
    pending: saving.isPending ? saving.variables : undefined,
    read: saving.isPending ? read : 0,
    text: saving.isError ? saving.error.message : saving.data
  }
}
