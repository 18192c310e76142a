package settings

import "time"

// evalTable holds who plays and judges in an eval, and what its clock charges.
var evalTable = []Definition{
	{Key: "eval.candidate_model", Env: []string{"VIVA_EVAL_CANDIDATE_MODEL"}, Flag: "candidate-model", Used: onEval,
		DefaultNote: "openai.chat_model",
		Help:        "model that plays the candidate; none = candidates say the lines of their scenarios",
		bind:        func(s *Settings) any { return &s.Eval.CandidateModel }},
	{Key: "eval.judge_model", Env: []string{"VIVA_EVAL_JUDGE_MODEL"}, Flag: "judge-model", Used: onEval,
		DefaultNote: "evaluators.model",
		Help:        "model that grades the talks; best a strong one of another family than the interviewer's; none = nobody does",
		bind:        func(s *Settings) any { return &s.Eval.JudgeModel }},
	{Key: "eval.reply_time", Env: []string{"VIVA_EVAL_REPLY_TIME"}, Flag: "reply-time", Default: "700ms", Used: onEval,
		Help:  "what a talk's clock charges for a model's reply and its voice, however long it really takes",
		check: positive, bind: func(s *Settings) any { return &s.Eval.ReplyTime }},
	{Key: "eval.task_time", Env: []string{"VIVA_EVAL_TASK_TIME"}, Flag: "task-time", Default: "1.5s", Used: onEval,
		Help:  "what it charges for an expert or a judge that the talk waits for",
		check: positive, bind: func(s *Settings) any { return &s.Eval.TaskTime }},
	{Key: "eval.model_wait", Env: []string{"VIVA_EVAL_MODEL_WAIT"}, Flag: "model-wait", Default: "10m", Used: onMeasure,
		Help:  "how long a model may really take for its first words",
		check: positive, bind: func(s *Settings) any { return &s.Eval.ModelWait }},
}

// Eval says who plays and judges in an eval, and what its clock charges.
type Eval struct {
	CandidateModel string
	JudgeModel     string
	ReplyTime      time.Duration
	TaskTime       time.Duration
	ModelWait      time.Duration
}

// NoModel is the name of a model that stands for none.
const NoModel = "none"
