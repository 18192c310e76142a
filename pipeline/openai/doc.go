// Package openai connects the pipeline to any server that speaks OpenAI's HTTP interface: OpenAI itself, Groq, vLLM, Ollama,
// LocalAI, speaches and others. It offers chat with tools (llm.Model), transcription of segments (stt.Recognizer) and
// speech as raw PCM (tts.Synthesizer), each already bounded and retried. Servers with OpenAI's realtime interface also
// transcribe speech while it is spoken, over a WebSocket (RealtimeRecognizer).
//
// For the rest it uses net/http alone. github.com/sashabaranov/go-openai would do for the happy path, but its stream reader
// reads lines of any length, takes a connection that breaks before the end mark for a complete reply, and reports a web page
// where JSON was expected as a run of empty messages; all three are failures that a voice interview meets and must tell apart.
//
// A Client is safe for concurrent use and owns its connection pool; CloseIdleConnections releases it.
package openai
