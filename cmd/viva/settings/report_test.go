package settings

import (
	"fmt"
	"strings"
	"testing"
)

// R002-55: a webhook has a whole address and a secret to sign by; nothing of either is shown but the host.
func TestWebhookSettings(t *testing.T) {
	const address, secret = "https://hooks.example.com/in/t0ken?key=hunter2", "0123456789abcdef-hunter2"
	s := mustLoad(t, LoadOptions{Command: CommandDev, Env: environment(map[string]string{
		"VIVA_REPORT_WEBHOOK_URL": address, "VIVA_REPORT_WEBHOOK_SECRET": secret,
	})})
	if s.Report.WebhookURL.Reveal() != address || s.Report.WebhookSecret.Reveal() != secret {
		t.Errorf("%+v", s.Report)
	}
	var shown strings.Builder
	if err := s.Explain(&shown); err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"t0ken", "hunter2", "0123456789"} {
		if text := shown.String() + fmt.Sprintf("%+v %#v", s.Report, s.Report); strings.Contains(strings.ReplaceAll(text, "****ter2", ""), hidden) {
			t.Errorf("%s is shown:\n%s", hidden, text)
		}
	}
	if !strings.Contains(shown.String(), "https://hooks.example.com/****") {
		t.Errorf("the host is not shown:\n%s", shown.String())
	}
	for name, env := range map[string]map[string]string{
		"report.webhook_secret is missing": {"VIVA_REPORT_WEBHOOK_URL": address},
		"is not a whole address":           {"VIVA_REPORT_WEBHOOK_URL": "hooks.example.com", "VIVA_REPORT_WEBHOOK_SECRET": secret},
		"has fewer than 16 characters":     {"VIVA_REPORT_WEBHOOK_URL": address, "VIVA_REPORT_WEBHOOK_SECRET": "short"},
		"store.url is no database":         {"VIVA_REPORT_WEBHOOK_URL": address, "VIVA_REPORT_WEBHOOK_SECRET": secret, "VIVA_STORE_URL": "memory"},
	} {
		problems := problemsOf(t, LoadOptions{Command: CommandStart, Env: environment(server(env))})
		if !strings.Contains(problems.Error(), name) || strings.Contains(problems.Error(), "hunter2") {
			t.Errorf("%v, want %q", problems, name)
		}
	}
}
