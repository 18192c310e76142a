package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/pipeline/openai/family"
)

// tasksTable holds what is asked of models and companies beside the talk itself.
var tasksTable = []Definition{
	{Key: "evaluators.model", Env: []string{"VIVA_EVALUATORS_MODEL"}, Flag: "evaluators-model", Used: onModel,
		DefaultNote: "openai.chat_model",
		Help:        "model that judges answers; best one of another family than the interviewer's",
		bind:        func(s *Settings) any { return &s.Evaluators.Model }},
	{Key: "evaluators.temperature", Env: []string{"VIVA_EVALUATORS_TEMPERATURE"}, Flag: "evaluators-temperature", Default: "0", Used: onModel,
		DefaultNote: "left out for a model that takes none",
		Help:        "how freely it judges; more than 0 makes judgements differ from one time to the next; a model that reasons takes none",
		check:       temperature, bind: func(s *Settings) any { return &s.Evaluators.Temperature }},
	{Key: "evaluators.effort", Env: []string{"VIVA_EVALUATORS_EFFORT"}, Flag: "evaluators-effort", Used: onModel, DefaultNote: moreNote,
		Help:  "how much it reasons before it judges: " + effortNames + ", as the model offers; with none it takes a temperature",
		check: effort, bind: func(s *Settings) any { return &s.Evaluators.Effort }},
	{Key: "companies.hosts", Env: []string{"VIVA_COMPANY_HOSTS"}, Flag: "company-hosts", Used: onInterview,
		Help: "hosts of companies' services that may be called, apart by commas: names, *.names, addresses or ranges; a private address only if it is listed itself",
		bind: func(s *Settings) any { return &s.Companies.Hosts }},
	{Key: "companies.tokens", Env: []string{"VIVA_COMPANY_TOKENS"}, Used: onInterview, Secret: true,
		Help:  "bearer tokens for these services, apart by commas, each as company=token",
		check: tokens, bind: func(s *Settings) any { return &s.Companies.Tokens }},
	{Key: "companies.wait", Env: []string{"VIVA_COMPANY_WAIT"}, Flag: "company-wait", Default: "8s", Used: onInterview,
		Help:  "how long one call of a company's service may take; then its file or the default company answers",
		check: positive, bind: func(s *Settings) any { return &s.Companies.Wait }},
}

func temperature(text string) (wrong, fix string) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number >= 0 && number <= 2) { // also refuses NaN
		return text + " is out of range", "write a number from 0 to 2"
	}
	return "", ""
}

func positive(text string) (wrong, fix string) {
	if strings.HasPrefix(text, "-") || strings.Trim(text, "0hmsuµn.") == "" {
		return text + " is not above 0", "write a time such as 8s"
	}
	return "", ""
}

// moreNote is the default effort of evaluators.
const moreNote = "low where the model reasons"

// effortNames are the values of reasoning_effort, for people.
var effortNames = strings.Join(family.Efforts(), ", ")

func effort(text string) (wrong, fix string) {
	if text != "" && !slices.Contains(family.Efforts(), text) {
		return fmt.Sprintf("%q is not a choice", text), choiceFix(family.Efforts(), text)
	}
	return "", ""
}

// pairs checks a list of key=value, which is not secret.
func pairs(form string) func(string) (wrong, fix string) {
	return func(text string) (wrong, fix string) {
		for _, pair := range list(text) {
			if key, value, ok := strings.Cut(pair, "="); !ok || strings.TrimSpace(key) == "" || strings.TrimSpace(value) == "" {
				return fmt.Sprintf("%q cannot be read", pair), "write " + form + ", with commas between them"
			}
		}
		return "", ""
	}
}

// DeploymentOf are Azure's deployments by model.
func (o OpenAI) DeploymentOf() map[string]string {
	out := make(map[string]string)
	for _, pair := range list(o.Deployments) {
		model, deployment, _ := strings.Cut(pair, "=")
		out[strings.TrimSpace(model)] = strings.TrimSpace(deployment)
	}
	return out
}

// tokens does not repeat what it is given: it is secret.
func tokens(text string) (wrong, fix string) {
	for i, pair := range list(text) {
		name, token, ok := strings.Cut(pair, "=")
		if !ok || strings.TrimSpace(name) == "" || strings.TrimSpace(token) == "" {
			return fmt.Sprintf("has no company and token in part %d", i+1), "write company=token, with commas between them"
		}
	}
	return "", ""
}

// list is a value with commas in it, apart.
func list(text string) (parts []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// Allowed are the hosts of companies' services.
func (c Companies) Allowed() []string { return list(c.Hosts) }

// Token is the bearer token of a company's service; "" = none.
func (c Companies) Token(company string) string {
	for _, pair := range list(c.Tokens.Reveal()) {
		if name, token, _ := strings.Cut(pair, "="); strings.TrimSpace(name) == company {
			return strings.TrimSpace(token)
		}
	}
	return ""
}
