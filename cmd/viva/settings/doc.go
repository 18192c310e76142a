// Package settings finds the value of every setting of the viva command and says where it came from.
// One table (Table) drives the file keys, the environment variables, the flags, the defaults, the checks, the listing
// of `viva config` and the reference in docs/settings.md.
//
// Order, the later wins: default, settings file, environment variable, flag; LIVEKIT_AGENT_NAME_OVERRIDE wins over all.
// Load reads one file and the environment function given to it, and nothing else; everything here is used from one
// goroutine, once, at start. A *Settings is not changed after Load has returned it and may be read from anywhere.
package settings
