package settings

func interviewTable() []Definition {
	return []Definition{
		{Key: "interviews.dir", Env: []string{"VIVA_INTERVIEWS"}, Flag: "interviews",
			Used: []Command{CommandDev, CommandStart, CommandConsole, CommandValidate},
			Help: "directory of further interview definitions (YAML)",
			bind: func(s *Settings) any { return &s.Interviews.Dir }},
		{Key: "interviews.default", Env: []string{"VIVA_DEFAULT_INTERVIEW"}, Flag: "default-interview", Default: "two_stage",
			Used: onInterview, Required: onInterview,
			Help:  "interview of a job that names none",
			check: noSpace, bind: func(s *Settings) any { return &s.Interviews.Default }},
		{Key: "interviews.locale", Env: []string{"VIVA_LOCALE"}, Flag: "locale", Default: "en", Used: onInterview, Required: onInterview,
			Help:  "language of a job that names none, such as en or en-GB",
			check: locale, bind: func(s *Settings) any { return &s.Interviews.Locale }},
		{Key: "journal.dir", Env: []string{"VIVA_JOURNAL_DIR"}, Flag: "journal-dir", Used: onInterview,
			Help: "directory of the interviews' journals; empty keeps them in memory, lost at exit",
			bind: func(s *Settings) any { return &s.Journal.Dir }},
	}
}

func workerTable() []Definition {
	return []Definition{
		{Key: "worker.max_jobs", Env: []string{"VIVA_MAX_JOBS"}, Flag: "max-jobs", Default: "20", Used: onWorker,
			Help:  "interviews that count as load 1; with load_threshold 0.7 a worker takes seven tenths of them",
			check: between(1, 10_000), bind: func(s *Settings) any { return &s.Worker.MaxJobs }},
		{Key: "worker.load_threshold", Env: []string{"VIVA_LOAD_THRESHOLD"}, Flag: "load-threshold", Default: "0.7", Used: onWorker,
			Help:  "load from which the worker says it is full; LiveKit's own limit is 0.7, a higher one here has no effect with it",
			check: fraction, bind: func(s *Settings) any { return &s.Worker.LoadThreshold }},
		{Key: "worker.load_source", Env: []string{"VIVA_LOAD_SOURCE"}, Flag: "load-source", Default: LoadProcess,
			Choices: []string{LoadProcess, LoadSystem}, Used: onWorker,
			Help: "whose CPU use counts as load: this process's, or the whole machine's",
			bind: func(s *Settings) any { return &s.Worker.LoadSource }},
		{Key: "worker.drain_limit", Env: []string{"VIVA_DRAIN_LIMIT"}, Flag: "drain-limit", Default: "30m",
			DefaultFor: map[Command]string{CommandDev: "0s"}, Used: onWorker,
			Help:  "how long running interviews may go on after SIGTERM; 0s ends them at once",
			check: notNegative, bind: func(s *Settings) any { return &s.Worker.DrainLimit }},
		{Key: "worker.max_retries", Env: []string{"VIVA_MAX_RETRIES"}, Flag: "max-retries", Default: "16", Used: onWorker,
			Help:  "attempts to reach the LiveKit server that may fail in a row before the worker gives up; 16 take some two minutes",
			check: between(1, 1_000_000), bind: func(s *Settings) any { return &s.Worker.MaxRetries }},
		{Key: "room.reconnect_grace", Env: []string{"VIVA_RECONNECT_GRACE"}, Flag: "reconnect-grace", Default: "20s", Used: onWorker,
			Help:  "how long a candidate who vanished may take to come back",
			check: notNegative, bind: func(s *Settings) any { return &s.Room.ReconnectGrace }},
		{Key: "health.address", Env: []string{"VIVA_HEALTH_ADDRESS"}, Flag: "health-address", Default: ":8081",
			DefaultFor: map[Command]string{CommandDev: "127.0.0.1:8081"},
			Used:       []Command{CommandDev, CommandStart, CommandHealth}, Required: onWorker,
			Help:  "where /, /worker and /metrics are served; give each worker of a host its own port",
			check: address, bind: func(s *Settings) any { return &s.Health.Address }},
		{Key: "log.level", Env: []string{"VIVA_LOG_LEVEL", "LIVEKIT_LOG_LEVEL"}, Flag: "log-level", Default: "info",
			Choices: []string{"debug", "info", "warn", "error"}, Used: onAny,
			Help: "the least important message that is still logged",
			bind: func(s *Settings) any { return &s.Log.Level }},
		{Key: "log.format", Env: []string{"VIVA_LOG_FORMAT"}, Flag: "log-format", Default: LogConsole,
			DefaultFor: map[Command]string{CommandStart: LogJSON}, Choices: []string{LogConsole, LogJSON}, Used: onAny,
			Help: "for people or for machines",
			bind: func(s *Settings) any { return &s.Log.Format }},
	}
}

func pageTable() []Definition {
	return []Definition{
		{Key: "web.enabled", Env: []string{"VIVA_WEB"}, Flag: "web", Default: "false",
			DefaultFor: map[Command]string{CommandDev: "true"}, Used: onWorker,
			Help: "serve the candidate's page",
			bind: func(s *Settings) any { return &s.Web.Enabled }},
		{Key: "web.address", Env: []string{"VIVA_WEB_ADDRESS"}, Flag: "web-address", Default: "127.0.0.1:7890",
			Used: onWorker, Required: onWorker,
			Help:  "where the candidate's page is served",
			check: address, bind: func(s *Settings) any { return &s.Web.Address }},
		{Key: "web.open_tokens", Env: []string{"VIVA_WEB_OPEN_TOKENS"}, Flag: "web-open-tokens", Default: "false", Used: onWorker,
			Help: "let the page of another machine fetch a token; anyone who reaches it can then start interviews",
			bind: func(s *Settings) any { return &s.Web.OpenTokens }},
		{Key: "dev.signal_port", Env: []string{"VIVA_DEV_SIGNAL_PORT"}, Flag: "dev-signal-port", Default: "7880", Used: onDev,
			Help:  "signalling port of the embedded LiveKit server; 0 takes a free one",
			check: port, bind: func(s *Settings) any { return &s.Dev.SignalPort }},
		{Key: "dev.tcp_port", Env: []string{"VIVA_DEV_TCP_PORT"}, Flag: "dev-tcp-port", Default: "0", Used: onDev,
			Help:  "media port over TCP of the embedded server, on every interface; 0 = none",
			check: port, bind: func(s *Settings) any { return &s.Dev.TCPPort }},
		{Key: "dev.udp_port", Env: []string{"VIVA_DEV_UDP_PORT"}, Flag: "dev-udp-port", Default: "7882", Used: onDev,
			Help:  "media port over UDP of the embedded server",
			check: port, bind: func(s *Settings) any { return &s.Dev.UDPPort }},
	}
}
