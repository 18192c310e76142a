package datafile

import "strings"

// ID returns the identifier of a name: "Junior Data Analyst" is junior_data_analyst.
func ID(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == ' ' || r == '_' || r == '-' || r == '\t' || r == '\n' || r == '/'
	}), "_")
}
