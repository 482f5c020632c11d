/** Whose key is signed in, what it sees, and the way out. Says so when the key has few requests left. */
import { Menu, UnstyledButton } from "@mantine/core"
import { IconLogout, IconSelector } from "@tabler/icons-react"
import { useAccount } from "../api/account.ts"
import { fewLeft, useRequestsLeft } from "../api/refresh.ts"
import { useSession } from "../api/session.tsx"
import { Time } from "../parts/Time.tsx"
import classes from "./Shell.module.css"

const sees = { live: "mainnet", test: "testnet, devnet" } as const

export const SignedIn = () => {
  const { key, name } = useAccount()
  const { ending, signOut } = useSession()
  const left = useRequestsLeft()
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
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut()}>
            Sign out
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
