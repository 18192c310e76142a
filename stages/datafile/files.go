package datafile

import (
	"errors"
	"fmt"
	"io/fs"
)

// Read decodes one file whole into v, which is as for File.Decode.
func Read(fsys fs.FS, name string, v any) error {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return fmt.Errorf("read the data: %w", err)
	}
	f := Open(name, text)
	f.Decode(v)
	return f.Err()
}

// Each calls do with every file that matches the pattern, file system by file system, in the order of their names. The error joins what
// do returned and what could not be read.
func Each(pattern string, from []fs.FS, do func(file string, text []byte) error) error {
	var wrong []error
	for _, fsys := range from {
		names, err := fs.Glob(fsys, pattern)
		if err != nil {
			return fmt.Errorf("list %s: %w", pattern, err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(fsys, name)
			if err == nil {
				err = do(name, text)
			}
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}
