//go:build pdf && linux

package pdftext

import "golang.org/x/sys/unix"

// Limits of the process: writable memory in bytes, processor time in seconds, no files written.
const (
	hardMemory = 384 << 20
	hardTime   = 20
)

// confine sets the limits; they hold for all that follows and cannot be raised again.
func confine() error {
	for resource, limit := range map[int]uint64{unix.RLIMIT_DATA: hardMemory, unix.RLIMIT_CPU: hardTime, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	return nil
}
