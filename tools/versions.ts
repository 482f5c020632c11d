/**
 * Every file that shows the version, and where in it. A release changes exactly these places (tools/release.ts), and
 * test/version.test.ts compares them. `npm run schemas` makes schemas/ from package.json, so they are not listed.
 */

const inJson = /(?<=^ {2}"version": ")[^"]+/gm
const archive = /(?<=ledgerhook[-_]receiver-)\d+\.\d+\.\d+/g

/** Each pattern matches the version alone. */
export const versionPlaces: ReadonlyArray<readonly [file: string, pattern: RegExp]> = [
  ["package.json", inJson],
  // The project and its workspace.
  ["package-lock.json", /(?<="name": "ledgerhook[\w-]*",\n\s*"version": ")[^"]+/g],
  ["dashboard/package.json", inJson],
  // Of the chart, and of the image that it runs.
  ["ops/helm/Chart.yaml", /(?<=^(?:version|appVersion): ).+$/gm],
  ["docs/receiving.md", /(?<=User-Agent: Ledgerhook\/|ledgerhook-receiver-)\d+\.\d+\.\d+/g],
  ["packages/receiver-js/README.md", archive],
  ["packages/receiver-js/package.json", inJson],
  ["packages/receiver-python/README.md", archive],
  ["packages/receiver-python/pyproject.toml", /(?<=^version = ")[^"]+/gm]
]
