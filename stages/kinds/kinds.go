// Package kinds ships the interviews that come with Viva, as data. Each file is one kind; its name is the kind's id.
package kinds

import "embed"

//go:embed *.yaml
var files embed.FS

// FS returns the shipped definitions, one <kind>.yaml each.
func FS() embed.FS { return files }

// Default is the kind that a job without metadata gets.
const Default = "two_stage"
