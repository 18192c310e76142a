package respond

import "encoding/json"

// SchemaName names Schema for a provider.
const SchemaName = "turn"

// Schema is the JSON Schema of a reply, in the strict form that providers hold models to: every field is required, none may be added.
var Schema = json.RawMessage(`{
"type":"object","additionalProperties":false,"required":["say","reading"],"properties":{
"say":{"type":"string","description":"the words to be spoken now"},
"reading":{"type":"object","additionalProperties":false,"required":["acts","notes","covered","claims","flags","did","to","asked"],"properties":{
"acts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["kind","about","quote"],"properties":{
"kind":{"type":"string","enum":["answer","question","request","correction","objection","emotion","distress","remark","nothing"]},
"about":{"type":"string"},"quote":{"type":"string"}}}},
"notes":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["id","value","quote"],"properties":{
"id":{"type":"string"},"value":{"type":"string"},"quote":{"type":"string"}}}},
"covered":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["criterion","level","quote"],"properties":{
"criterion":{"type":"string"},"level":{"type":"integer","enum":[1,2,3]},"quote":{"type":"string"}}}},
"claims":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["quote","verdict","why"],"properties":{
"quote":{"type":"string"},"verdict":{"type":"string","enum":["right","wrong","contradicts","unchecked"]},"why":{"type":"string"}}}},
"flags":{"type":"array","items":{"type":"string","enum":["distress","wants_human","wants_to_stop","no_recording","other_language"]}},
"did":{"type":"string","enum":["answer","ask","probe","challenge","hint","support","rephrase","wait","next","finish","go","end"]},
"to":{"type":"string"},
"asked":{"type":"string"}}}}}`)
