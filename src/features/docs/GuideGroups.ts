/** The guides by who needs them, in the order in which they are read. */
export const guideGroups: ReadonlyArray<readonly [heading: string, names: ReadonlyArray<string>]> = [
  [
    "Use the service",
    [
      "receiving",
      "payload-filters",
      "replay",
      "streaming",
      "deposits",
      "data-teams",
      "notices",
      "api",
      "errors"
    ]
  ],
  ["What is in an event", ["detection-rules", "glossary"]],
  [
    "Run the service",
    [
      "deploy",
      "access",
      "settings",
      "operations",
      "runbook",
      "capacity",
      "architecture",
      "stages",
      "reliability",
      "threats"
    ]
  ]
]
