package respond

import (
	"bytes"
	_ "embed" // the schema
	"encoding/json"
)

// SchemaName names Schema for a provider.
const SchemaName = "turn"

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema of a reply, in the strict form that providers hold models to: every field is required, none may be added.
var Schema = json.RawMessage(bytes.TrimSpace(schema))
