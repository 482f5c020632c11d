/** A Go client that oapi-codegen makes from the published document compiles, and knows the payload of each event. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { apiLayer } from "../support/http/api.ts"
import { clientFolder, customer, DOCUMENT, expected, succeeds } from "./generatedClients.ts"

const GENERATOR = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
const RUNTIME = "github.com/oapi-codegen/runtime@v1.9.0"

const program = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"example.com/app/ledgerhook"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Service-Key", os.Getenv("LEDGERHOOK_API_KEY"))
		return nil
	}
	client, err := ledgerhook.NewClientWithResponses(os.Getenv("LEDGERHOOK_URL"), ledgerhook.WithRequestEditorFn(withKey))
	check(err)
	patterns := []ledgerhook.EventPattern{ledgerhook.EventPatternPayment, ledgerhook.EventPatternNft}
	created, err := client.CreateWebhookWithResponse(ctx, nil, ledgerhook.NewWebhook{
		Url:        "https://example.com/hook",
		EventTypes: patterns,
	})
	check(err)
	if created.JSON201 == nil {
		panic(string(created.Body))
	}
	webhooks, err := client.ListWebhooksWithResponse(ctx, nil)
	check(err)
	for _, webhook := range webhooks.JSON200.Data {
		var types []string
		for _, pattern := range webhook.EventTypes {
			types = append(types, string(pattern))
		}
		fmt.Println("webhook", webhook.Url, strings.Join(types, ","))
	}
	events, err := client.ListEventsWithResponse(ctx, &ledgerhook.ListEventsParams{EventType: &patterns})
	check(err)
	for _, event := range events.JSON200.Data {
		value, err := event.ValueByDiscriminator()
		check(err)
		switch event := value.(type) {
		case ledgerhook.PaymentXrpApiEvent:
			fmt.Println("payment.xrp", event.Payload.Sender, event.Payload.Amount)
		case ledgerhook.NftMintedApiEvent:
			fmt.Println("nft.minted", event.Payload.NftokenId)
		}
	}
}
`

const hasGo = spawnSync("go", ["version"]).status === 0
/** It runs the generator once, so that its download counts for what is missing, not for the test's time. */
const missing = !hasGo
  ? "Go"
  : spawnSync("go", ["run", GENERATOR, "-version"]).status === 0
    ? undefined
    : "oapi-codegen from the Go module proxy"

describe.skipIf(missing !== undefined)(
  `a Go client by oapi-codegen${missing === undefined ? "" : ` (no ${missing} here)`}`,
  () => {
    const cwd = clientFolder()

    it.live(
      "is generated without a warning, compiles, lists webhooks and reads events by their type",
      () =>
        Effect.gen(function* () {
          mkdirSync(join(cwd, "ledgerhook"))
          writeFileSync(join(cwd, "main.go"), program)
          const output = "ledgerhook/client.go"
          const generated = yield* succeeds(
            "go",
            [
              ...["run", GENERATOR, "-generate", "types,client,skip-prune"],
              ...["-package", "ledgerhook", "-o", output, DOCUMENT]
            ],
            { cwd }
          )
          assert.strictEqual(generated, "")
          yield* succeeds("go", ["mod", "init", "example.com/app"], { cwd })
          yield* succeeds("go", ["get", RUNTIME], { cwd })
          yield* succeeds("go", ["mod", "tidy"], { cwd })
          yield* succeeds("go", ["vet", "./..."], { cwd })
          yield* succeeds("go", ["build", "-o", "program", "."], { cwd })
          const printed = yield* succeeds("./program", [], { cwd, env: yield* customer })
          assert.strictEqual(printed.trim(), expected)
        }).pipe(Effect.provide(apiLayer())),
      300_000
    )
  }
)
