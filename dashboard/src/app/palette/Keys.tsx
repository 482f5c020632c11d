/** `?`: what the keys do. */
import { Modal } from "@mantine/core"
import classes from "./Keys.module.css"

const keys: ReadonlyArray<readonly [keys: ReadonlyArray<string>, what: string]> = [
  [["Ctrl", "K"], "Search: pages, webhooks, hashes, addresses, ids"],
  [["/"], "The same; beside a guide, search the guides"],
  [["j"], "The next row of a list"],
  [["k"], "The row before"],
  [["Enter"], "Open the row"],
  [["Esc"], "Close what is open"],
  [["?"], "This list"]
]

export const Keys = ({ close }: { readonly close: () => void }) => (
  <Modal opened onClose={close} title="Keys">
    <dl className={classes["keys"]}>
      {keys.map(([names, what]) => (
        <div key={what}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Modal>
)
