/** Backups, and the move of a service to another database or log. */
import { command, makeFeature } from "../Feature.ts"
import { backup, restore } from "./backup/BackupCommand.ts"
import { move } from "./move/Move.ts"

export const feature = makeFeature({
  name: "copies",
  commands: [command(40, backup), command(50, restore), command(60, move)]
})
