/** Ctrl-K or `/`: any page, action, webhook, hash, address or id from the keyboard. */
import { Combobox, Modal, TextInput, useCombobox, VisuallyHidden } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { IconSearch } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { StatusIcon } from "../../ui/value/Status.tsx"
import { asked } from "./asked.ts"
import type { Choice } from "./choice.ts"
import { useFound } from "./found.ts"
import classes from "./Palette.module.css"

/** A pause in typing after which the service is asked. */
const PAUSE_MS = 150

const Icon = ({ icon: Of }: Choice) =>
  typeof Of === "string" ? (
    <StatusIcon of={Of} size={18} />
  ) : (
    <Of size={18} stroke={1.6} className={classes["icon"]} aria-hidden />
  )

const Shown = ({ choice }: { readonly choice: Choice }) => (
  <Combobox.Option value={choice.id} className={classes["choice"]!}>
    <Icon {...choice} />
    <span className={classes["words"]}>
      <b>{choice.title}</b> <span>{choice.detail}</span>
    </span>
    {choice.what && <small>{choice.what}</small>}
  </Combobox.Option>
)

interface PaletteProps {
  readonly close: () => void
  readonly showKeys: () => void
}

const Content = ({ close, showKeys }: PaletteProps) => {
  const [text, setText] = useState("")
  const [settled] = useDebouncedValue(text, PAUSE_MS)
  const { found, isLoading } = useFound(settled)
  const router = useRouter()
  const combobox = useCombobox({ opened: true })
  const input = useRef<HTMLInputElement>(null)
  // Before the dialog has opened: who presses the keys types on.
  useEffect(() => input.current?.focus(), [])
  const choices = found.flatMap((group) => group.choices)
  const ids = choices.map(({ id }) => id).join(" ")
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first choice is marked when the choices change.
  useEffect(() => void combobox.selectFirstOption(), [ids])

  const go = (id: string, inNewTab = false) => {
    const chosen = choices.find((choice) => choice.id === id)
    if (chosen === undefined) return
    const target = chosen.go
    if (typeof target !== "string") target()
    else if (inNewTab) window.open(target, "_blank", "noopener")
    else router.history.push(target)
    close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      const chosen = choices[combobox.getSelectedOptionIndex()]
      if (chosen !== undefined) go(chosen.id, true)
    } else if (event.key === "Escape") {
      // The combobox would keep it from the dialog.
      close()
    } else if (event.key === "?" && text === "") {
      event.preventDefault()
      showKeys()
    }
  }
  return (
    <Combobox store={combobox} onOptionSubmit={(id) => go(id)}>
      <Combobox.EventsTarget>
        <TextInput
          ref={input}
          aria-label="Search"
          placeholder="A page, a webhook, a hash, an address or an id"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
          rightSection={<kbd>Esc</kbd>}
          rightSectionPointerEvents="none"
          classNames={{ input: classes["input"]!, section: classes["section"]! }}
          data-mono={asked(text).kind !== "words"}
          spellCheck={false}
          autoComplete="off"
          data-autofocus
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={classes["choices"]!} aria-label="Choices">
        {found.map(({ choices, label }) => (
          <Combobox.Group key={label} label={label} className={classes["group"]!}>
            {choices.map((choice) => (
              <Shown key={choice.id} choice={choice} />
            ))}
          </Combobox.Group>
        ))}
        {choices.length === 0 && (
          <Combobox.Empty>
            {isLoading || settled !== text
              ? "Asking the service …"
              : "Nothing has this name, hash or id on the networks of this key."}
          </Combobox.Empty>
        )}
      </Combobox.Options>
      <VisuallyHidden role="status">{choices.length} choices</VisuallyHidden>
      <div className={classes["foot"]}>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> new tab
        </span>
        <button type="button" onClick={showKeys}>
          <kbd>?</kbd> all keys
        </button>
      </div>
    </Combobox>
  )
}

export const Palette = (props: PaletteProps) => (
  <Modal.Root opened onClose={props.close} yOffset="7rem" size={640} lockScroll={false}>
    <Modal.Overlay />
    <Modal.Content aria-label="Search and commands">
      <Modal.Body p={0}>
        <Content {...props} />
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
)
