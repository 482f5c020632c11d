/** The settings of the report of the service. */
import { type FeatureSetting, type Role, roleList, roles } from "../../spine/config/Definitions.ts"

export const withoutRoles: FeatureSetting<ReadonlyArray<Role>> = {
  name: "WITHOUT_ROLES",
  default: "",
  accepts: `a comma-separated list of ${roles.join(", ")}`,
  meaning:
    "roles that no process of this installation has, on purpose; any other role without a process is reported",
  parse: (value) => (value.toLowerCase() === "all" ? undefined : roleList(value))
}
