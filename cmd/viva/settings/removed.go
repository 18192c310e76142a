package settings

// Removed is a setting that there was once. Whoever still has it is told what to do in its place.
type Removed struct {
	Key, Env, Flag string
	Fix            string
}

// RemovedSettings lists them.
func RemovedSettings() []Removed {
	return []Removed{{
		Key: "journal.dir", Env: "VIVA_JOURNAL_DIR", Flag: "journal-dir",
		Fix: "name the same folder as store.url: VIVA_STORE_URL=dir:FOLDER or --store dir:FOLDER; or leave it out, and interviews are kept in a database",
	}}
}

// removed finds those that are still set by environment or flag; the file has its own way to say so.
func removed(env func(string) string, flags map[string]string) Problems {
	var problems Problems
	for _, r := range RemovedSettings() {
		if _, given := flags[r.Flag]; given {
			problems = append(problems, r.problem("flag --"+r.Flag))
		} else if env(r.Env) != "" {
			problems = append(problems, r.problem("environment "+r.Env))
		}
	}
	return problems
}

func (r Removed) problem(from string) Problem {
	return Problem{Key: r.Key, From: from, Wrong: "is no setting any more", Fix: r.Fix}
}

// removedKey is the fix for a key of the settings file that was a setting once, or "".
func removedKey(key string) string {
	for _, r := range RemovedSettings() {
		if r.Key == key {
			return r.Fix
		}
	}
	return ""
}

// isRemovedFlag reports whether a flag was one once.
func isRemovedFlag(name string) bool {
	for _, r := range RemovedSettings() {
		if r.Flag == name {
			return true
		}
	}
	return false
}
