// Package openai connects the pipeline to any server that speaks OpenAI's HTTP interface: OpenAI itself, Azure OpenAI, Groq, vLLM,
// Ollama, LocalAI, speaches and others. It offers chat with tools (llm.Model), transcription of segments (stt.Recognizer) and
// speech as raw PCM (tts.Synthesizer), each already bounded and retried. Servers with OpenAI's realtime interface also
// transcribe speech while it is spoken, over a WebSocket (RealtimeRecognizer).
//
// Chat and speech go through github.com/sashabaranov/go-openai (adr/0004). What a voice interview needs beyond it, its HTTPClient
// adds (doer): lines and bodies are bounded, a web page or an error in place of a reply is told apart, status and Retry-After are
// kept, and so is the reason for which a context ended. A reply that ends without its end mark and without a finish_reason is
// one that broke off. Transcription is a request of our own, because the library cannot ask for log-probabilities; so is the list
// of models that Prewarm asks for, of which nothing is read.
//
// What a model takes (temperature, reasoning_effort, tools, limits) is known by its name: package family. Unknown models are
// sent what is asked.
//
// A Client is safe for concurrent use and owns its connection pool; CloseIdleConnections releases it.
package openai
