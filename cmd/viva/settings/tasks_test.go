package settings

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// R000-72: which companies' services are called, and with which token, is a matter of settings.
func TestCompanies(t *testing.T) {
	env := map[string]string{"VIVA_COMPANY_HOSTS": "interviews.example, *.acme.test,10.1.2.0/24 ", "VIVA_COMPANY_TOKENS": "acme=s3cret-a, google_like = s3cret-b=="}
	s := mustLoad(t, LoadOptions{
		Command: CommandConsole, Flags: map[string]string{"company-wait": "3s", "evaluators-model": "judge-1", "evaluators-temperature": "0.9"},
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	})
	if diff := cmp.Diff([]string{"interviews.example", "*.acme.test", "10.1.2.0/24"}, s.Companies.Allowed()); diff != "" {
		t.Error(diff)
	}
	for company, want := range map[string]string{"acme": "s3cret-a", "google_like": "s3cret-b==", "other": "", "": ""} {
		if got := s.Companies.Token(company); got != want {
			t.Errorf("token of %q: %q, want %q", company, got, want)
		}
	}
	if s.Companies.Wait != 3*time.Second || s.Evaluators != (Role{Model: "judge-1", Temperature: 0.9}) {
		t.Errorf("companies %+v, evaluators %+v", s.Companies, s.Evaluators)
	}
	var shown bytes.Buffer
	if err := s.Explain(&shown); err != nil || strings.Contains(shown.String(), "s3cret") {
		t.Errorf("%v\n%s", err, shown.String())
	}
}

func TestTaskSettingsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ env, value, want string }{
		{"VIVA_EVALUATORS_TEMPERATURE", "2.5", "from 0 to 2"},
		{"VIVA_EVALUATORS_TEMPERATURE", "NaN", "from 0 to 2"},
		{"VIVA_EVALUATORS_TEMPERATURE", "-1", "from 0 to 2"},
		{"VIVA_COMPANY_WAIT", "0s", "above 0"},
		{"VIVA_COMPANY_WAIT", "-8s", "above 0"},
		{"VIVA_COMPANY_TOKENS", "acme=s3cret,s3cret-b", "part 2"},
		{"VIVA_COMPANY_TOKENS", "=s3cret", "part 1"},
	} {
		env := map[string]string{c.env: c.value}
		_, err := Load(LoadOptions{Command: CommandConsole, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s=%s: %v, want %q", c.env, c.value, err, c.want)
		}
	}
}
