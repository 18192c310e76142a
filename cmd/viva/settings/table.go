package settings

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/vivavoice/viva/pipeline/openai"
)

// Command is a subcommand of viva, which decides the settings that are used, required and defaulted.
type Command string

// The commands that have settings. CommandConfig uses all of them and requires none.
const (
	CommandDev      Command = "dev"
	CommandStart    Command = "start"
	CommandConsole  Command = "console"
	CommandDispatch Command = "dispatch"
	CommandLoadTest Command = "loadtest"
	CommandValidate Command = "validate"
	CommandHealth   Command = "health"
	CommandConfig   Command = "config"
	CommandReport   Command = "report"
	CommandReplay   Command = "replay"
	CommandSessions Command = "sessions"

	CommandEvaluator Command = "evaluator"
	CommandEval      Command = "eval"
	CommandCalibrate Command = "calibrate"
)

// Definition describes one setting.
type Definition struct {
	Key         string             // in the settings file, dotted: "livekit.url"
	Env         []string           // environment variables, the first that is set wins
	Override    string             // environment variable that wins over flags as well
	Flag        string             // name without dashes; "" where a command line would leak the value
	Default     string             // in the form that a file or variable would hold
	DefaultFor  map[Command]string // where a command differs from Default
	DefaultNote string             // what Default depends on, for the reference
	Choices     []string           // the only values allowed, when not empty
	Secret      bool
	Help        string
	Used        []Command // commands that use it; CommandConfig uses every setting
	Required    []Command // commands that cannot start without it

	bind   func(*Settings) any                                    // the field, as a pointer
	check  func(text string) (wrong, fix string)                  // both empty when the value is fine
	mask   func(text string) string                               // what of it may be shown; nil: all, or the mask of a Secret
	derive func(above func(key string) string) (text, why string) // a default that depends on settings above it
}

// UsedBy reports whether the command uses the setting.
func (d Definition) UsedBy(c Command) bool {
	return c == CommandConfig || slices.Contains(d.Used, c)
}

// RequiredBy reports whether the command cannot start without the setting.
func (d Definition) RequiredBy(c Command) bool { return slices.Contains(d.Required, c) }

// Boolean reports whether the setting is true or false, so that its flag needs no value.
func (d Definition) Boolean() bool {
	_, ok := d.bind(new(Settings)).(*bool)
	return ok
}

func (d Definition) defaultFor(c Command) string {
	if text, ok := d.DefaultFor[c]; ok {
		return text
	}
	return d.Default
}

// Groups of commands that share settings.
var (
	onServer    = []Command{CommandDev, CommandStart, CommandDispatch, CommandLoadTest, CommandEval}
	onWorker    = []Command{CommandDev, CommandStart}
	onTalk      = []Command{CommandDev, CommandStart, CommandConsole}
	onInterview = []Command{CommandDev, CommandStart, CommandConsole, CommandEval}
	onModel     = []Command{CommandDev, CommandStart, CommandConsole, CommandEvaluator, CommandEval, CommandCalibrate}
	onDev       = []Command{CommandDev}
	onEval      = []Command{CommandEval}
	onMeasure   = []Command{CommandEval, CommandCalibrate}
	onService   = []Command{CommandEvaluator}
	onJudging   = []Command{CommandDev, CommandStart, CommandEvaluator}
	onStore     = []Command{CommandDev, CommandStart, CommandConsole, CommandReport, CommandReplay, CommandSessions}
	needsServer = []Command{CommandStart, CommandDispatch, CommandLoadTest}
	onAny       = []Command{CommandDev, CommandStart, CommandConsole, CommandDispatch, CommandLoadTest, CommandValidate, CommandEvaluator, CommandEval, CommandCalibrate}
)

// Table lists every setting, in the order in which it is shown.
// A derived default looks only at settings above its own. The caller owns the slice.
func Table() []Definition {
	return slices.Concat(serverTable, engineTable, tasksTable, evaluatorTable, evalTable, soundTable, interviewTable, recordingTable, workerTable, pageTable, reportTable)
}

var serverTable = []Definition{
	{Key: "livekit.url", Env: []string{"LIVEKIT_URL"}, Flag: "url", Used: onServer, Required: needsServer,
		Help:  "address of the LiveKit server; without it, dev starts its own",
		check: serverURL, bind: func(s *Settings) any { return &s.LiveKit.URL }},
	{Key: "livekit.api_key", Env: []string{"LIVEKIT_API_KEY"}, Flag: "api-key", Used: onServer, Required: needsServer,
		Help:  "API key of the LiveKit server; without it, dev makes one for its own at each start",
		check: noSpace, bind: func(s *Settings) any { return &s.LiveKit.APIKey }},
	{Key: "livekit.api_secret", Env: []string{"LIVEKIT_API_SECRET"}, Flag: "api-secret", Used: onServer, Required: needsServer, Secret: true,
		Help:  "secret of that key; prefer the variable, other users of the machine can read flags",
		check: noSpace, bind: func(s *Settings) any { return &s.LiveKit.APISecret }},
	{Key: "agent_name", Env: []string{"VIVA_AGENT_NAME", "LIVEKIT_AGENT_NAME"}, Override: "LIVEKIT_AGENT_NAME_OVERRIDE",
		Flag: "agent-name", Default: "viva", Used: onServer, Required: onServer,
		Help:  "name under which the worker registers and is dispatched",
		check: noSpace, bind: func(s *Settings) any { return &s.AgentName }},
}

var engineTable = []Definition{
	{Key: "openai.api_key", Env: []string{"OPENAI_API_KEY"}, Used: onModel, Secret: true,
		Help:  "key of the OpenAI-compatible service; not needed where the base URL asks for none",
		check: noSpace, bind: func(s *Settings) any { return &s.OpenAI.APIKey }},
	{Key: "openai.base_url", Env: []string{"OPENAI_BASE_URL"}, Flag: "openai-base-url", Used: onModel,
		Help:  "address of an OpenAI-compatible service, up to and with /v1; empty means OpenAI itself",
		check: baseURL, bind: func(s *Settings) any { return &s.OpenAI.BaseURL }},
	{Key: "openai.api", Env: []string{"VIVA_OPENAI_API"}, Flag: "openai-api", Default: APIOpenAI, Choices: []string{APIOpenAI, APIAzure}, Used: onModel,
		Help: "how the service is addressed; azure is for deployments with an api-version, while an Azure address that ends with /openai/v1 is spoken to like OpenAI",
		bind: func(s *Settings) any { return &s.OpenAI.API }},
	{Key: "openai.api_version", Env: []string{"OPENAI_API_VERSION"}, Flag: "openai-api-version", Used: onModel,
		DefaultNote: openai.DefaultAPIVersion,
		Help:        "Azure's api-version",
		check:       noSpace, bind: func(s *Settings) any { return &s.OpenAI.APIVersion }},
	{Key: "openai.deployments", Env: []string{"VIVA_OPENAI_DEPLOYMENTS"}, Flag: "openai-deployments", Used: onModel,
		Help:  "Azure's deployments that are not called like their model, apart by commas, each as model=deployment",
		check: pairs("model=deployment"), bind: func(s *Settings) any { return &s.OpenAI.Deployments }},
	{Key: "openai.chat_model", Env: []string{"OPENAI_CHAT_MODEL"}, Flag: "openai-chat-model", Default: openai.DefaultChatModel, Used: onModel,
		Help: "model that leads the turns; gpt-6-luna is small, need not reason, so that its first words come soon, " +
			"and follows gpt-4o-mini, which OpenAI ends on 14 January 2027",
		bind: func(s *Settings) any { return &s.OpenAI.ChatModel }},
	{Key: "openai.effort", Env: []string{"VIVA_OPENAI_EFFORT"}, Flag: "openai-effort", Used: onInterview, DefaultNote: "the least that the model offers",
		Help:  "how much it reasons before it speaks, while the candidate waits: " + effortNames + ", as the model offers",
		check: effort, bind: func(s *Settings) any { return &s.OpenAI.Effort }},
	{Key: "openai.stt_model", Env: []string{"OPENAI_STT_MODEL"}, Flag: "openai-stt-model", Default: "gpt-4o-mini-transcribe", Used: onWorker,
		Help: "model that transcribes the candidate",
		bind: func(s *Settings) any { return &s.OpenAI.STTModel }},
	{Key: "openai.realtime_model", Env: []string{"OPENAI_REALTIME_MODEL"}, Flag: "openai-realtime-model", Used: onWorker,
		Help: "model of streaming transcription (--stt openai-realtime); empty means the usual one",
		bind: func(s *Settings) any { return &s.OpenAI.Realtime }},
	{Key: "openai.tts_model", Env: []string{"OPENAI_TTS_MODEL"}, Flag: "openai-tts-model", Default: "gpt-4o-mini-tts", Used: onWorker,
		Help: "model that speaks",
		bind: func(s *Settings) any { return &s.OpenAI.TTSModel }},
	{Key: "openai.voice", Env: []string{"OPENAI_VOICE"}, Flag: "openai-voice", Default: "alloy", Used: onWorker,
		Help: "voice of that model",
		bind: func(s *Settings) any { return &s.OpenAI.Voice }},
	{Key: "deepgram.api_key", Env: []string{"DEEPGRAM_API_KEY"}, Used: onWorker, Secret: true,
		Help:  "key of Deepgram, for --stt deepgram",
		check: noSpace, bind: func(s *Settings) any { return &s.Deepgram.APIKey }},
	{Key: "deepgram.base_url", Env: []string{"DEEPGRAM_BASE_URL"}, Flag: "deepgram-base-url", Used: onWorker,
		Help: "address of a Deepgram server of your own; empty means Deepgram itself",
		bind: func(s *Settings) any { return &s.Deepgram.BaseURL }},
	{Key: "deepgram.model", Env: []string{"DEEPGRAM_MODEL"}, Flag: "deepgram-model", Used: onWorker,
		Help: "Deepgram's model; empty means the usual one",
		bind: func(s *Settings) any { return &s.Deepgram.Model }},
	{Key: "engines.speculate", Env: []string{"VIVA_SPECULATE"}, Flag: "speculate", Default: "true", Used: onWorker,
		Help: "recognise what was said, and prepare a reply, before the candidate's turn is certain to be over; it is never heard before. It costs more requests",
		bind: func(s *Settings) any { return &s.Engines.Speculate }},
	{Key: "engines.stt", Env: []string{"VIVA_STT"}, Flag: "stt", Choices: []string{EngineOpenAI, EngineRealtime, EngineDeepgram, EngineLocal},
		Default: EngineLocal, DefaultNote: openAIGiven, derive: openAIOr(EngineLocal), Used: onWorker,
		Help: "who turns speech into words",
		bind: func(s *Settings) any { return &s.Engines.STT }},
	{Key: "engines.llm", Env: []string{"VIVA_LLM"}, Flag: "llm", Choices: []string{EngineOpenAI, EngineScripted},
		Default: EngineScripted, DefaultNote: openAIGiven, derive: openAIOr(EngineScripted), Used: onModel,
		Help: "who words the interviewer's moves; scripted needs no model",
		bind: func(s *Settings) any { return &s.Engines.LLM }},
	{Key: "engines.tts", Env: []string{"VIVA_TTS"}, Flag: "tts", Choices: []string{EngineOpenAI, EngineLocal},
		Default: EngineLocal, DefaultNote: openAIGiven, derive: openAIOr(EngineLocal), Used: onWorker,
		Help: "who turns words into speech",
		bind: func(s *Settings) any { return &s.Engines.TTS }},
	{Key: "local.pocketsphinx_model", Env: []string{"VIVA_POCKETSPHINX_MODEL"}, Flag: "pocketsphinx-model",
		Default: "/usr/share/pocketsphinx/model/en-us", Used: onWorker,
		Help: "directory of the local recogniser's model",
		bind: func(s *Settings) any { return &s.Local.PocketsphinxModel }},
	{Key: "local.decoders", Env: []string{"VIVA_LOCAL_DECODERS"}, Flag: "local-decoders", Default: "2",
		Used:  onWorker,
		Help:  "candidates that the local recogniser understands at the same moment, 93 MB each",
		check: between(1, 64), bind: func(s *Settings) any { return &s.Local.Decoders }},
	{Key: "local.voice", Env: []string{"VIVA_LOCAL_VOICE"}, Flag: "local-voice", Default: "slt",
		Used: []Command{CommandDev, CommandStart, CommandLoadTest},
		Help: "voice of the local synthesiser",
		bind: func(s *Settings) any { return &s.Local.Voice }},
	{Key: "local.espeak", Env: []string{"VIVA_LOCAL_ESPEAK"}, Flag: "local-espeak", Default: "espeak-ng",
		Used: onWorker,
		Help: "program that speaks Chinese and Vietnamese on this machine; English is spoken without it",
		bind: func(s *Settings) any { return &s.Local.Espeak }},
}

var soundTable = []Definition{
	{Key: "voice.cache", Env: []string{"VIVA_VOICE_CACHE"}, Flag: "voice-cache", Used: onWorker,
		DefaultNote: "`viva/voices` in the user's cache directory", derive: voiceCache,
		Help: "directory that keeps the speech of fixed sentences for the next start, where the voice is not the local one; empty keeps none",
		bind: func(s *Settings) any { return &s.Voice.Cache }},
	{Key: "voice.cache_size", Env: []string{"VIVA_VOICE_CACHE_SIZE"}, Flag: "voice-cache-size", Default: "64", Used: onWorker,
		Help:  "MiB that it may hold, what was used least recently going first; 0 keeps none",
		check: between(0, 1<<20), bind: func(s *Settings) any { return &s.Voice.CacheSize }},
	{Key: "voice.listening_signal", Env: []string{"VIVA_LISTENING_SIGNAL"}, Flag: "listening-signal", Used: onWorker,
		Default: "false",
		Help:    "say softly that the interviewer listens (“mm-hm”) while the candidate pauses in an account, at most once in 15 s; a definition may forbid it",
		bind:    func(s *Settings) any { return &s.Voice.ListeningSignal }},
	{Key: "turn.audio_model", Env: []string{"VIVA_TURN_AUDIO_MODEL"}, Flag: "turn-audio-model", Used: onWorker,
		Help: "what judges by the sound, too, whether a turn is over: built-in (better for people, slower for synthetic voices) or the ONNX file of a Smart Turn v3 model; empty does without",
		bind: func(s *Settings) any { return &s.Turn.AudioModel }},
	{Key: "turn.audio_runner", Env: []string{"VIVA_TURN_AUDIO_RUNNER"}, Flag: "turn-audio-runner", Used: onWorker,
		Help: "command that runs such a file, its words apart by spaces; docs/smart_turn_runner.py is one",
		bind: func(s *Settings) any { return &s.Turn.AudioRunner }},
}

// voiceCache is a folder of the user's cache directory, where there is one.
func voiceCache(func(string) string) (text, why string) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", "this user has no cache directory"
	}
	return filepath.Join(dir, "viva", "voices"), ""
}

const openAIGiven = "openai where openai.api_key or openai.base_url is set"

// openAIOr is the default of an engine: the service where one is configured, else an engine that needs nothing.
func openAIOr(fallback string) func(func(string) string) (string, string) {
	return func(above func(string) string) (string, string) {
		for _, key := range []string{"openai.api_key", "openai.base_url"} {
			if above(key) != "" {
				return EngineOpenAI, key + " is set"
			}
		}
		return fallback, ""
	}
}
