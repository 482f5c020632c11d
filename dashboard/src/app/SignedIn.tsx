/** Whose key is signed in, what it sees, the other key, and the way out. Says so when the key has few requests left. */
import { Menu, UnstyledButton } from "@mantine/core"
import { IconLogout, IconPlus, IconRefresh, IconSelector } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../api/account.ts"
import { fewLeft, useRequestsLeft } from "../api/refresh.ts"
import { useSession } from "../api/session.tsx"
import { Time } from "../ui/value/Time.tsx"
import classes from "./Shell.module.css"

const sees = { live: "mainnet", test: "testnet, devnet" } as const

export const SignedIn = () => {
  const { key, name } = useAccount()
  const { other, signOut, switchTo } = useSession()
  const navigate = useNavigate()
  const left = useRequestsLeft()
  const [, ending] = key.key_hint.split("…")
  return (
    <>
      <Menu width="target" position="bottom-start" withinPortal={false}>
        <Menu.Target>
          <UnstyledButton className={classes["who"]}>
            <span>
              <b>{name}</b>
              <small>
                {key.environment === "live" ? "Live" : "Test"} key …{ending} · {sees[key.environment]}
              </small>
            </span>
            <IconSelector size={16} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {other === undefined ? (
            <Menu.Item
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => navigate({ to: "/sign-in", search: { add: true } })}
            >
              Add a {key.environment === "live" ? "test" : "live"} key
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => switchTo(other)}>
              Switch to {sees[other]}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut()}>
            Sign out{other !== undefined && ` of ${sees[key.environment]}`}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {left !== undefined && fewLeft(left) && (
        <p className={classes["left"]} role="status">
          This key has {left.remaining} requests left until <Time at={left.resetsAt} exact />. Pages refresh
          themselves again then.
        </p>
      )}
    </>
  )
}
