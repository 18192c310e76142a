package settings

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What a person may write as store.url, and what is said of the rest; never the password.
func TestStoreURL(t *testing.T) {
	for _, fine := range []string{
		"memory", "dir:journals", "dir:/var/lib/viva", "viva-data/interviews.db", "/var/lib/viva/interviews.db", "sqlite:viva.db",
		"postgres://viva:s3cret-pass@db.example/viva?sslmode=require", "postgresql://db/viva",
	} {
		s, err := Load(LoadOptions{Command: CommandReport, Flags: map[string]string{"store": fine}})
		if err != nil || s.Store.URL.Reveal() != fine {
			t.Errorf("%s: %v", fine, err)
		}
		var out strings.Builder
		if err := s.Explain(&out); err != nil {
			t.Fatal(err)
		}
		if shown := out.String(); strings.Contains(shown+fmt.Sprintf("%+v", s), "s3cret") || !strings.Contains(shown, fine[:4]) {
			t.Errorf("shown as %s", shown)
		}
	}
	for text, want := range map[string]string{
		"mysql://viva:s3cret@db/viva": "mysql://", "dir:": "names no folder", "postgres:///viva": "whole address", "postgres://a:s3cret%@h/x": "whole address",
	} {
		problems := problemsOf(t, LoadOptions{Command: CommandReport, Flags: map[string]string{"store": text}})
		if len(problems) != 1 || !strings.Contains(problems[0].String(), want) || strings.Contains(problems.Error(), "s3cret") {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

// Whether there are reports to be had, and a session to be taken up, hangs on the store.
func TestStoreIsDatabase(t *testing.T) {
	for url, want := range map[Secret]bool{"memory": false, "dir:x": false, "x.db": true, "postgres://h/x": true} {
		if got := (Store{URL: url}).Database(); got != want {
			t.Errorf("%s: %v", url.Reveal(), got)
		}
	}
}

// Report pages need a page to be on, a database, and a key that cannot be guessed.
func TestReportPagesNeed(t *testing.T) {
	key := strings.Repeat("k", 24)
	for name, test := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"all there":   {map[string]string{"VIVA_REPORTS_KEY": key}, nil},
		"no page":     {map[string]string{"VIVA_REPORTS_KEY": key, "VIVA_WEB": "false"}, []string{"pass --web"}},
		"elsewhere":   {map[string]string{"VIVA_REPORTS_KEY": key, "VIVA_WEB": "false", "VIVA_PUBLIC_URL": "https://talks.example"}, nil},
		"no database": {map[string]string{"VIVA_REPORTS_KEY": key, "VIVA_STORE_URL": "memory"}, []string{"store.url is no database"}},
		"a short key": {map[string]string{"VIVA_REPORTS_KEY": "guess me"}, []string{"fewer than 16 characters"}},
		"a bad link":  {map[string]string{"VIVA_PUBLIC_URL": "interviews.example.com"}, []string{"https://interviews.example.com"}},
	} {
		_, err := Load(LoadOptions{Command: CommandDev, Env: environment(test.env)})
		if (err != nil) != (len(test.want) > 0) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), key) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Workers that share no disk keep interviews in one database, or do not start: what a pod's disk holds is lost with the pod.
func TestReplicasNeedPostgreSQL(t *testing.T) {
	load := func(store, replicas string) error {
		env := server(map[string]string{"VIVA_STORE_URL": store, "VIVA_REPLICAS": replicas})
		_, err := Load(LoadOptions{Command: CommandStart, Env: environment(env)})
		return err
	}
	for _, store := range []string{"/var/lib/viva/interviews.db", "sqlite:viva.db", "memory", "dir:journals"} {
		if err := load(store, "1"); err != nil {
			t.Errorf("one worker with %s: %v", store, err)
		}
		err := load(store, "2")
		if problems, _ := errors.AsType[Problems](err); len(problems) != 1 || problems[0].Key != "store.url" ||
			!strings.Contains(err.Error(), "2 workers") || !strings.Contains(err.Error(), "VIVA_STORE_URL to postgres://") {
			t.Errorf("two workers with %s: %v", store, err)
		}
	}
	for _, store := range []string{"postgres://viva:s3cret@db.example/viva", "postgresql://db/viva"} {
		if err := load(store, "20"); err != nil {
			t.Errorf("a fleet with %s: %v", store, err)
		}
	}
	if err := load("memory", "0"); err == nil || !strings.Contains(err.Error(), "worker.replicas") {
		t.Errorf("no worker at all: %v", err)
	}
}
