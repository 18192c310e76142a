package worker

import (
	"fmt"
	"io/fs"
	"math"
	"os"
)

// memoryLimit is how much memory this process may use, in bytes: the smallest limit of its control groups (version 2), but no more
// than the machine has; infinite where neither can be read. The file system is rooted at /.
func memoryLimit(root fs.FS) float64 {
	limit := math.Inf(1)
	var kib float64
	if data, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		if _, err := fmt.Sscanf(string(data), "MemTotal: %f kB", &kib); err == nil && kib > 0 {
			limit = kib * 1024
		}
	}
	for _, dir := range controlGroups(root) {
		var bytes float64
		data, err := fs.ReadFile(root, dir+"/memory.max") // "max": no limit
		if err != nil {
			continue
		}
		if _, err := fmt.Sscan(string(data), &bytes); err == nil && bytes > 0 {
			limit = min(limit, bytes)
		}
	}
	return limit
}

// processMemory returns a function for the share of a limit, in bytes, that this process has resident; 0 where that cannot be
// read. See proc(5), statm.
func processMemory(root fs.FS, limit float64) func() float64 {
	page := float64(os.Getpagesize())
	return func() float64 {
		data, err := fs.ReadFile(root, "proc/self/statm")
		if err != nil {
			return 0
		}
		var size, resident float64
		if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
			return 0
		}
		return clampLoad(resident * page / limit)
	}
}
