/** Saves a list with its filters as a file. It says what it has read, and when there is more than a file gets. */
import { Button, Menu } from "@mantine/core"
import { IconDownload } from "@tabler/icons-react"
import { useMutation } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { untilRequestsAreLeft } from "../api/refresh.ts"
import { download } from "./download.ts"
import { EXPORT_ROWS, type Fields, type FileFormat, fileFormats, fileName, readAll } from "./exporting.ts"
import { count } from "./format.ts"

interface ExportMenuProps<Row> {
  /** What the rows are, such as "events". The file is named after them. */
  readonly what: string
  readonly fields: Fields<Row>
  /** A page of the list. */
  readonly load: (
    cursor: string | undefined
  ) => Promise<{ readonly data: ReadonlyArray<Row>; readonly next_cursor: string | null }>
}

export const ExportMenu = <Row,>({ what, fields, load }: ExportMenuProps<Row>) => {
  const [read, setRead] = useState(0)
  const reading = useRef<AbortController>(undefined)
  useEffect(() => () => reading.current?.abort(), [])
  const write = useMutation({
    mutationFn: async (format: FileFormat) => {
      reading.current = new AbortController()
      setRead(0)
      const page = async (cursor: string | undefined) => {
        await untilRequestsAreLeft()
        return load(cursor)
      }
      const { more, rows } = await readAll(page, setRead, reading.current.signal)
      download(
        fileName(what, new Date(), format),
        fileFormats[format].type,
        fileFormats[format].write(rows, fields)
      )
      return more
        ? `The first ${count(EXPORT_ROWS)} are saved; there are more. Set more filters.`
        : `${count(rows.length)} saved.`
    }
  })
  return (
    <>
      <span className="note" role="status">
        {write.isPending
          ? read > 0 && `${count(read)} read…`
          : write.isError
            ? write.error.message
            : write.data}
      </span>
      <Menu position="bottom-end" portalProps={{ target: "#main" }}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={write.isPending}
          >
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(Object.keys(fileFormats) as ReadonlyArray<FileFormat>).map((format) => (
            <Menu.Item key={format} onClick={() => write.mutate(format)}>
              {fileFormats[format].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
