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
		from := "environment " + r.Env
		_, flagged := flags[r.Flag]
		if flagged {
			from = "flag --" + r.Flag
		}
		if flagged || env(r.Env) != "" {
			problems = append(problems, Problem{Key: r.Key, From: from, Wrong: "is no setting any more", Fix: r.Fix})
		}
	}
	return problems
}
