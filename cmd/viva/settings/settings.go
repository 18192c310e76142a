package settings

import (
	"maps"
	"strings"
	"time"
)

// Settings are the values in force, ready for use by one command.
// Settings that the command does not use hold their values too, but unchecked: they may be zero.
type Settings struct {
	Command    Command
	LiveKit    LiveKit
	AgentName  string
	Engines    Engines
	OpenAI     OpenAI
	Deepgram   Deepgram
	Local      Local
	Evaluators Role
	Eval       Eval
	Companies  Companies
	Evaluator  Evaluator
	Voice      Voice
	Turn       Turn
	Interviews Interviews
	Store      Store
	Recording  Recording
	Worker     Worker
	Room       Room
	Health     Health
	Trace      Trace
	Log        Log
	Web        Web
	Report     Report
	Dev        Dev

	found map[string]found
}

// LiveKit says which server to talk to, and as whom.
type LiveKit struct {
	URL       string // ws, wss, http or https; "" with the dev command means the embedded server
	APIKey    string
	APISecret Secret
}

// Engines names the provider of each kind of work.
type Engines struct {
	STT string // EngineOpenAI, EngineRealtime, EngineDeepgram or EngineLocal
	LLM string // EngineOpenAI or EngineScripted
	TTS string // EngineOpenAI or EngineLocal
	// Speculate starts a reply before the end of the turn is certain; it is never heard before.
	Speculate bool
}

// The engines that can be chosen.
const (
	EngineOpenAI   = "openai"          // any server that speaks OpenAI's HTTP interface
	EngineRealtime = "openai-realtime" // the same service's streaming transcription
	EngineDeepgram = "deepgram"        // Deepgram's streaming transcription
	EngineLocal    = "local"           // pocketsphinx and flite, in this process
	EngineScripted = "scripted"        // no model: the words of the prompts folder
)

// The ways to address an OpenAI-compatible service.
const (
	APIOpenAI = "openai"
	APIAzure  = "azure" // deployments and versions; Azure's /openai/v1 is the former way
)

// OpenAI describes an OpenAI-compatible service.
type OpenAI struct {
	APIKey  Secret
	BaseURL string // "" means the service's own address
	API     string // APIOpenAI or APIAzure
	// APIVersion is Azure's; "" = the provider package's default. Deployments are model=deployment, apart by commas.
	APIVersion, Deployments string

	ChatModel string
	Effort    string // reasoning_effort of live wording; "" = the least that the model offers
	STTModel  string
	Realtime  string // model of streaming transcription; "" = the provider package's default
	TTSModel  string
	Voice     string
}

// Deepgram describes the streaming transcription service.
type Deepgram struct {
	APIKey  Secret
	BaseURL string // "" means the service's own address
	Model   string // "" = the provider package's default
}

// Local describes the engines that run in this process.
type Local struct {
	PocketsphinxModel string // directory of the acoustic model
	Espeak            string // name or path of the program that speaks Chinese and Vietnamese
	Voice             string // flite's name of a voice
	Decoders          int    // recognitions at a time
}

// Role is the model that answers for an interview's evaluators.
type Role struct {
	Model       string  // "" = the chat model
	Temperature float64 // 0 to 2; left out for a model that takes none
	Effort      string  // reasoning_effort; "" = the least real reasoning that the model offers
}

// Companies says which services of companies may be called, and how.
type Companies struct {
	Hosts  string // names, *.names, addresses and ranges, apart by commas
	Tokens Secret // company=token, apart by commas
	Wait   time.Duration
}

// Evaluator is the judging as a service of its own, from both sides.
type Evaluator struct {
	URL     string // of the service that a worker asks; "" = the worker judges itself
	Key     Secret // bearer key, the same on both sides
	Address string // where the service listens
	Calls   int    // judgements at a time
}

// Voice says where the speech of fixed sentences is kept, and whether the voice is heard in the candidate's pauses.
type Voice struct {
	Cache           string // directory; "" keeps none
	CacheSize       int    // MiB; 0 keeps none
	ListeningSignal bool
}

// Turn describes the model that judges by the sound whether a turn is over.
type Turn struct {
	AudioModel  string // AudioModelOurs or an ONNX file; "" does without
	AudioRunner string // command that runs it
}

// Interviews says which definitions exist and which is used when a job names none.
type Interviews struct {
	Dir     string // more definitions; "" means only the shipped ones
	Default string
	Locale  string // BCP 47, such as "en" or "en-GB"
	// Helplines are sentences that tell somebody in distress whom to turn to.
	Helplines Helplines
}

// Helplines are such sentences by language; "" = the words that come with Viva.
type Helplines struct{ English, Chinese, Vietnamese string }

// ByLanguage are those that are set, by their language's code.
func (h Helplines) ByLanguage() map[string]string {
	all := map[string]string{"en": h.English, "zh": h.Chinese, "vi": h.Vietnamese}
	maps.DeleteFunc(all, func(_, text string) bool { return text == "" })
	return all
}

// Store says where interviews are kept.
type Store struct {
	URL Secret // StoreMemory, StoreDir and a folder, or what package store opens; it may hold a password
}

// The stores that are no database.
const (
	StoreMemory = "memory"
	StoreDir    = "dir:"
)

// Database reports whether interviews are kept in a database: only that has reports, and lets another worker take over.
func (s Store) Database() bool {
	url := s.URL.Reveal()
	return url != StoreMemory && !strings.HasPrefix(url, StoreDir)
}

// Shared reports whether interviews are kept by a server that workers on other hosts reach too.
func (s Store) Shared() bool {
	url := s.URL.Reveal()
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Worker limits what one process takes on.
type Worker struct {
	MaxJobs       int           // interviews that count as load 1; 0: as many as fit
	LoadThreshold float64       // above 0, at most 1
	LoadSource    string        // LoadProcess or LoadSystem
	DrainLimit    time.Duration // how long running interviews may go on after SIGTERM
	MaxRetries    int           // attempts to connect that may fail in a row
	Replicas      int           // workers that share no disk, this one included
}

// The sources of the worker's CPU load.
const (
	LoadProcess = "process" // this process, over the CPUs that its cgroup allows
	LoadSystem  = "system"  // the whole machine
)

// Room holds limits that concern the LiveKit room.
type Room struct {
	ReconnectGrace time.Duration // how long a candidate who vanished may take to come back
}

// Health is the address of /, /worker and /metrics.
type Health struct {
	Address string
}

// Trace says where OpenTelemetry spans go.
type Trace struct {
	Endpoint string  // base address of an OTLP collector over HTTP; "" = no spans
	Sample   float64 // share of the interviews, above 0 and at most 1
}

// Log says how much is logged, and in which form.
type Log struct {
	Level  string // debug, info, warn or error
	Format string // LogConsole or LogJSON
}

// The forms of the log.
const (
	LogConsole = "console"
	LogJSON    = "json"
)

// Web describes the candidate's page.
type Web struct {
	Enabled     bool
	Address     string
	OpenTokens  bool   // tokens for callers from other machines
	LocalTokens bool   // tokens for browsers of this machine
	Proxies     string // addresses and ranges that are believed what X-Forwarded-For says, apart by commas
	ReportsKey  Secret
	PublicURL   string // "" = http:// and Address
}

// Dev holds the ports of the embedded LiveKit server; 0 takes a free one.
type Dev struct {
	SignalPort int
	TCPPort    int
	UDPPort    int
	ServerFile string // settings file that tells its address, key and secret to other commands; "" = none
}

// EmbeddedServer reports whether the command is to start its own LiveKit server.
func (s *Settings) EmbeddedServer() bool {
	return s.Command == CommandDev && s.LiveKit.URL == ""
}
