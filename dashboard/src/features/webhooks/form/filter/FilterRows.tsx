/** The rows and groups of a payload filter: field, operator, value; groups are indented behind a line. */
import { ActionIcon, Button, SegmentedControl, Select } from "@mantine/core"
import { IconPlus, IconX } from "@tabler/icons-react"
import type { Fault } from "../../../../api/call.ts"
import { FaultLine } from "../FormSection.tsx"
import { type Field, kindName, operatorName, operatorsOf } from "./fields.ts"
import classes from "./filter.module.css"
import {
  type Condition,
  changed,
  type Group,
  type Item,
  isGroup,
  newCondition,
  newGroup,
  type Operator,
  takesList,
  takesNone
} from "./tree.ts"
import { ValueInput } from "./ValueInput.tsx"

/** Groups within groups, as many as one can follow. The JSON may have more. */
const DEEPEST = 3

interface RowsProps {
  readonly root: Group
  readonly onChange: (root: Group) => void
  readonly fields: ReadonlyMap<string, Field>
  /** The faults of a row. */
  readonly faultsOf: (id: number) => ReadonlyArray<Fault>
}

/** A value that the next operator can have, too. */
const kept = (value: Condition["value"], from: Operator, to: Operator): Condition["value"] =>
  takesNone(to) || value === undefined
    ? undefined
    : takesList(from) === takesList(to)
      ? value
      : takesList(to)
        ? [value as string]
        : (value as ReadonlyArray<string>)[0]

interface ConditionRowProps extends Omit<RowsProps, "root" | "onChange"> {
  readonly condition: Condition
  readonly number: string
  readonly onChange: (condition: Condition | undefined) => void
}

const ConditionRow = ({ condition, number, fields, faultsOf, onChange }: ConditionRowProps) => {
  const field = fields.get(condition.field)
  const kind = field?.kind ?? "mixed"
  const faults = faultsOf(condition.id)
  const isField = faults.some(({ param }) => param.endsWith(`/${condition.field}`))
  const known = [...fields.values()]
  const operators = [...new Set([...operatorsOf(kind), condition.operator])]
  return (
    <div>
      <div className={classes["condition"]}>
        <Select
          aria-label={`Field of condition ${number}`}
          placeholder="Field"
          searchable
          // The first fault is focused, and its sentence stands below.
          openOnFocus={false}
          allowDeselect={false}
          withScrollArea={false}
          nothingFoundMessage="No chosen type has it"
          comboboxProps={{ width: "max-content", position: "bottom-start", withinPortal: false }}
          classNames={{
            input: classes["field"] ?? "",
            dropdown: classes["dropdown"] ?? "",
            options: classes["options"] ?? ""
          }}
          data={[
            ...known.map(({ path }) => path),
            ...(condition.field === "" || field !== undefined ? [] : [condition.field])
          ]}
          renderOption={({ option }) => {
            const about = fields.get(option.value)
            return (
              <span className={classes["option"]}>
                <span className="mono">{option.value}</span>
                {about && (
                  <span className="note">
                    {kindName(about.kind)};{" "}
                    {about.types.length > 2 ? `${about.types.length} types` : about.types.join(", ")}
                  </span>
                )}
              </span>
            )
          }}
          value={condition.field === "" ? null : condition.field}
          error={isField}
          onChange={(path) => {
            if (path === null) return
            const next = fields.get(path)?.kind ?? "mixed"
            const operator = operatorsOf(next).includes(condition.operator)
              ? condition.operator
              : operatorsOf(next)[0]!
            onChange({
              ...condition,
              field: path,
              operator,
              value: next === kind ? kept(condition.value, condition.operator, operator) : undefined
            })
          }}
        />
        <Select
          aria-label={`Operator of condition ${number}`}
          allowDeselect={false}
          withScrollArea={false}
          comboboxProps={{ width: "max-content", position: "bottom-start", withinPortal: false }}
          data={operators.map((value) => ({ value, label: operatorName(value, kind) }))}
          value={condition.operator}
          onChange={(chosen) => {
            const operator = chosen as Operator
            onChange({ ...condition, operator, value: kept(condition.value, condition.operator, operator) })
          }}
        />
        <div className={classes["value"]}>
          <ValueInput
            condition={condition}
            kind={kind}
            field={field}
            label={`Value of condition ${number}`}
            isFaulty={faults.length > 0 && !isField}
            onChange={(value) => onChange({ ...condition, value })}
          />
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Remove condition ${number}`}
          onClick={() => onChange(undefined)}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      </div>
      <FaultLine
        faults={faults}
        onUse={(suggestion) =>
          onChange(isField ? { ...condition, field: suggestion } : { ...condition, value: suggestion })
        }
      />
    </div>
  )
}

const words = { all: "all of these", one: "at least one of these", none: "none of these" } as const

interface GroupRowsProps extends RowsProps {
  readonly group: Group
  readonly depth: number
  /** "2." before the numbers of its rows. */
  readonly prefix: string
}

const GroupRows = ({ group, depth, prefix, ...props }: GroupRowsProps) => {
  const { root, onChange } = props
  const put = (id: number, item: Item | undefined) => onChange(changed(root, id, () => item))
  const set = (next: Group) => (next.id === root.id ? onChange(next) : put(next.id, next))
  const add = (item: Item) => set({ ...group, items: [...group.items, item] })
  const addButton = (label: string, item: () => Item) => (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => add(item())}
    >
      {label}
    </Button>
  )
  return (
    <>
      {group.items.map((item, at) => {
        const number = `${prefix}${at + 1}`
        return isGroup(item) ? (
          <fieldset key={item.id} className={classes["group"]}>
            <legend className={classes["legend"]}>Group {number}</legend>
            <div className={classes["groupHead"]}>
              <Select
                aria-label={`What group ${number} needs`}
                variant="unstyled"
                allowDeselect={false}
                withScrollArea={false}
                comboboxProps={{ withinPortal: false, width: "max-content", position: "bottom-start" }}
                data={Object.entries(words).map(([value, label]) => ({ value, label }))}
                value={item.of}
                onChange={(of) => put(item.id, { ...item, of: of as Group["of"] })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Remove group ${number}`}
                onClick={() => put(item.id, undefined)}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </div>
            <GroupRows {...props} group={item} depth={depth + 1} prefix={`${number}.`} />
          </fieldset>
        ) : (
          <ConditionRow
            key={item.id}
            {...props}
            condition={item}
            number={number}
            onChange={(next) => put(item.id, next)}
          />
        )
      })}
      <div className={classes["add"]}>
        {addButton("Condition", newCondition)}
        {depth < DEEPEST &&
          addButton("Group", () => newGroup(group.of === "one" ? "all" : "one", [newCondition()]))}
      </div>
    </>
  )
}

export const FilterRows = (props: RowsProps) => {
  const { root, onChange } = props
  return (
    <div className={classes["rows"]}>
      <div className={classes["must"]}>
        An event must meet
        <SegmentedControl
          aria-label="How many conditions an event must meet"
          size="xs"
          data={["all", "one"]}
          value={root.of}
          onChange={(of) => onChange({ ...root, of: of as "all" | "one" })}
        />
        of these
      </div>
      <GroupRows {...props} group={root} depth={0} prefix="" />
    </div>
  )
}
