//go:build unix

package webhook

import (
	"os"
	"syscall"
)

// lock waits until no other process has the file locked. Who has it keeps it for a write.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
