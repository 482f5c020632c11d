/** Saves a list with its filters as a file. It says what it has read, and when there is more than a file gets. */
import { Button, Menu } from "@mantine/core"
import { IconDownload } from "@tabler/icons-react"
import { untilRequestsAreLeft } from "../../api/refresh.ts"
import { count } from "../../words/format.ts"
import { EXPORT_ROWS, type Fields, type FileFormat, fileFormats, readAll } from "./exporting.ts"
import { useSaving } from "./useSaving.ts"

interface ExportMenuProps<Row> {
  /** What the rows are, such as "events". */
  readonly what: string
  readonly fields: Fields<Row>
  /** A page of the list. */
  readonly load: (
    cursor: string | undefined
  ) => Promise<{ readonly data: ReadonlyArray<Row>; readonly next_cursor: string | null }>
}

export const ExportMenu = <Row,>({ what, fields, load }: ExportMenuProps<Row>) => {
  const { pending, read, save, text } = useSaving(what, fields, async (onProgress, signal) => {
    const page = async (cursor: string | undefined) => {
      await untilRequestsAreLeft()
      return load(cursor)
    }
    const { more, rows } = await readAll(page, onProgress, signal)
    return {
      rows,
      text: more
        ? `The first ${count(EXPORT_ROWS)} are saved; there are more. Set more filters.`
        : `${count(rows.length)} saved.`
    }
  })
  return (
    <>
      <span className="note" role="status">
        {read > 0 ? `${count(read)} read…` : text}
      </span>
      <Menu position="bottom-end" portalProps={{ target: "#main" }}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={pending !== undefined}
          >
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(Object.keys(fileFormats) as ReadonlyArray<FileFormat>).map((format) => (
            <Menu.Item key={format} onClick={() => save(format)}>
              {fileFormats[format].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
