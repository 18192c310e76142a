package settings

import (
	"fmt"
	"net/url"
	"strings"
)

// storeURL checks the form of a store's address. It does not repeat one that may hold a password.
func storeURL(text string) (wrong, fix string) {
	const known = "write a file, postgres://user:password@host/database, dir:FOLDER or memory" //nolint:gosec // no credential
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case strings.TrimSpace(text) == "":
		return "is empty", known
	case text == StoreMemory, strings.HasPrefix(text, "sqlite:"):
		return "", ""
	case strings.HasPrefix(text, StoreDir):
		if strings.TrimSpace(rest) == "" {
			return "names no folder", "write dir: and the folder's path"
		}
		return "", ""
	case found && (scheme == "postgres" || scheme == "postgresql"):
		if parsed, err := url.Parse(text); err != nil || parsed.Host == "" {
			return "is not a whole address", "write postgres://user:password@host/database; signs such as @ in the password as %40"
		}
		return "", ""
	case found && strings.HasPrefix(rest, "//"):
		return fmt.Sprintf("starts with %s://, which is no database that Viva knows", scheme), known
	}
	return "", ""
}

// withoutPassword is a store's address as it may be shown.
func withoutPassword(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return "****"
	}
	return parsed.Redacted()
}

// reportProblems: reports are shown by this page or by another worker's, and kept by a database.
func (s *Settings) reportProblems() Problems {
	if s.Web.ReportsKey == "" {
		return nil
	}
	var problems Problems
	from := s.found["web.reports_key"].from
	if !s.Web.Enabled && s.Web.PublicURL == "" {
		problems = append(problems, Problem{Key: "web.reports_key", From: from, Wrong: "is set, but the page that would show reports is off",
			Fix: "pass --web, or say by VIVA_PUBLIC_URL where another worker shows them"})
	}
	if !s.Store.Database() {
		problems = append(problems, Problem{Key: "web.reports_key", From: from, Wrong: "is set, but store.url is no database, so that there are no reports to show",
			Fix: "set VIVA_STORE_URL to a file or to a PostgreSQL database"})
	}
	return problems
}

// Shown is the store's address without its password.
func (s Store) Shown() string { return withoutPassword(s.URL.Reveal()) }
