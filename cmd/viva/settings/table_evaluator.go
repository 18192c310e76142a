package settings

// evaluatorTable holds the judging as a process of its own.
var evaluatorTable = []Definition{
	{Key: "evaluator.url", Env: []string{"VIVA_EVALUATOR_URL"}, Flag: "evaluator-url", Used: onWorker,
		Help: "address of a `viva evaluator` that judges answers beside the talk, such as http://evaluator:8092; empty judges in the worker, " +
			"which also stands in while the service is away",
		check: httpURL("http://evaluator:8092"), bind: func(s *Settings) any { return &s.Evaluator.URL }},
	{Key: "evaluator.key", Env: []string{"VIVA_EVALUATOR_KEY"}, Used: onJudging, Required: onService, Secret: true,
		Help:  "key that workers show to the evaluator service, 16 characters or more, the same on both sides",
		check: serviceKey, bind: func(s *Settings) any { return &s.Evaluator.Key }},
	{Key: "evaluator.address", Env: []string{"VIVA_EVALUATOR_ADDRESS"}, Flag: "evaluator-address", Default: "127.0.0.1:8092",
		Used: onService, Required: onService,
		Help:  "where the evaluator service listens, for judgements, /healthz and /metrics; put TLS in front of it outside a private network",
		check: address, bind: func(s *Settings) any { return &s.Evaluator.Address }},
	{Key: "evaluator.calls", Env: []string{"VIVA_EVALUATOR_CALLS"}, Flag: "evaluator-calls", Default: "8", Used: onService,
		Help:  "judgements at a time; more are told to come again in a moment",
		check: between(1, 1000), bind: func(s *Settings) any { return &s.Evaluator.Calls }},
}

// evaluatorProblems: a worker that asks a service needs its key.
func (s *Settings) evaluatorProblems() Problems {
	if s.Evaluator.URL == "" || s.Evaluator.Key != "" {
		return nil
	}
	return s.problem("evaluator.url", "names a service, but its key is missing",
		"set VIVA_EVALUATOR_KEY to the key that the service was started with, or unset the address")
}
