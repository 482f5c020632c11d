/** The programs in languages with a compiler. Pure. */
import { camel, type Kind, STORE, type Wanted } from "./snippetFields.ts"

const goTypes: Record<Kind, string> = {
  string: "string",
  int: "int64",
  long: "int64",
  boolean: "bool",
  list: "[]json.RawMessage",
  json: "json.RawMessage"
}

export const go = ({ type, fields, shown }: Wanted): string => {
  const columns = fields.map(({ isOptional, kind, name }) => [
    camel(name, 0),
    `${isOptional && kind !== "list" && kind !== "json" ? "*" : ""}${goTypes[kind]}`,
    `\`json:"${name}"\``
  ])
  const width = (column: number) => Math.max(...columns.map((one) => one[column]!.length))
  const [nameWidth, typeWidth] = [width(0), width(1)]
  const lines = columns.map(
    ([name, goType, tag]) => `\t${name!.padEnd(nameWidth)} ${goType!.padEnd(typeWidth)} ${tag}`
  )
  return `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

type Event struct {
	EventID   string          \`json:"event_id"\`
	EventType string          \`json:"event_type"\`
	Payload   json.RawMessage \`json:"payload"\`
}

type ${camel(type, 0)} struct {
${lines.join("\n")}
}

var secret = os.Getenv("LEDGERHOOK_SECRET")

func isGenuine(header string, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header, ",") {
		if hmac.Equal([]byte(strings.TrimSpace(given)), []byte(expected)) {
			return true
		}
	}
	return false
}

func handle(event Event) error {
	if event.EventType != "${type}" {
		return nil
	}
	var payload ${camel(type, 0)}
	if err := json.Unmarshal(event.Payload, &payload); err != nil {
		return err
	}
	// ${STORE}
	_, err := fmt.Println(${["event.EventID", ...shown.map((name) => `payload.${camel(name, 0)}`)].join(", ")})
	return err
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 4<<20))
	if err != nil || !isGenuine(request.Header.Get("X-Service-Signature"), body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event Event
	if err = json.Unmarshal(body, &event); err == nil {
		err = handle(event)
	}
	if err != nil {
		log.Print(err)
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	if secret == "" {
		log.Fatal("LEDGERHOOK_SECRET is not set")
	}
	http.HandleFunc("POST /", receive)
	log.Fatal(http.ListenAndServe(":4000", nil))
}
`
}

const javaTypes: Record<Kind, readonly [always: string, optional: string]> = {
  string: ["String", "String"],
  int: ["int", "Integer"],
  long: ["long", "Long"],
  boolean: ["boolean", "Boolean"],
  list: ["List<JsonNode>", "List<JsonNode>"],
  json: ["JsonNode", "JsonNode"]
}

export const java = ({
  type,
  fields,
  shown
}: Wanted): string => `import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
${fields.some(({ kind }) => kind === "list") ? "import java.util.List;\n" : ""}import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receive {
    /** Fields that an event lacks are null. */
    record ${camel(type, 0)}(
${fields
  .map(({ isOptional, kind, name }) => `            ${javaTypes[kind][isOptional ? 1 : 0]} ${camel(name, 1)}`)
  .join(",\n")}) {}

    record Event(String eventId, String eventType, JsonNode payload) {}

    static final byte[] SECRET =
            Objects.requireNonNull(System.getenv("LEDGERHOOK_SECRET"), "LEDGERHOOK_SECRET is not set")
                    .getBytes(StandardCharsets.UTF_8);
    static final ObjectMapper JSON = new ObjectMapper()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    static boolean isGenuine(String header, byte[] body) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        byte[] expected = ("sha256=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        for (String given : Objects.requireNonNullElse(header, "").split(",")) {
            if (MessageDigest.isEqual(given.strip().getBytes(StandardCharsets.UTF_8), expected)) return true;
        }
        return false;
    }

    static void handle(Event event) throws IOException {
        if (!event.eventType().equals("${type}")) return;
        var payload = JSON.treeToValue(event.payload(), ${camel(type, 0)}.class);
        // ${STORE}
        System.out.println(String.join(
                " ",
                ${["event.eventId()", ...shown.map((name) => `String.valueOf(payload.${camel(name, 1)}())`)].join(",\n                ")}));
    }

    static void receive(HttpExchange exchange) throws IOException {
        int status = 500;
        try {
            byte[] body = exchange.getRequestBody().readNBytes(4 << 20);
            if (isGenuine(exchange.getRequestHeaders().getFirst("X-Service-Signature"), body)) {
                handle(JSON.readValue(body, Event.class));
                status = 204;
            } else {
                status = 401;
            }
        } catch (GeneralSecurityException | IOException failure) {
            failure.printStackTrace();
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(4000), 0);
        server.createContext("/", Receive::receive);
        server.start();
    }
}
`
