// Whether this machine can run Ledgerhook. Plain JavaScript, because it runs on any Node from version 20.

export const NODE_MAJOR = 24

/** The npm package with a Node for that platform. It exists for Linux on x64 and arm64; elsewhere the machine's Node runs. */
export const nodePackage = ({ platform, arch }) => `node-${platform}-${arch}`

/** Why not, in a sentence; undefined if it can. `hasPinned`: whether there is a Node of npm for this platform. */
export const problemOf = ({ platform, arch, version }, hasPinned) => {
  if (platform === "win32")
    return "Ledgerhook does not run on Windows itself; install WSL 2 (`wsl --install`), and clone and start Ledgerhook there."
  if (hasPinned || Number.parseInt(version.slice(1), 10) >= NODE_MAJOR) return undefined
  return `npm installs no Node for ${platform}-${arch}, and the one here is ${version}; install Node ${NODE_MAJOR} or later.`
}
