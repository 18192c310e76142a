package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/state/store"
)

func (p *program) exportSessions(ctx context.Context, cmd *cli.Command) error {
	if err := required(ctx, cmd, "identity", "out"); err != nil {
		return err
	}
	out := cmd.String("out")
	return archived(ctx, cmd, func(a archive) error {
		x := &export{archive: a}
		if err := x.make(ctx, cmd.String("identity"), out); err != nil {
			return err
		}
		if len(x.missing) > 0 {
			_, _ = fmt.Fprintf(p.errs, "viva: %d recordings are not in the folder for recordings and so not in the export: %s\n", len(x.missing),
				strings.Join(x.missing, ", "))
		}
		_, err := fmt.Fprintf(p.out, "%d files, %d of them sound, in %s\n", x.files, x.sounds, out)
		return err
	})
}

// export puts what the store has of a candidate into a folder, with the files that it only names.
type export struct {
	archive
	root          *os.Root
	top           string // where in it; "" = at its top
	files, sounds int
	missing       []string // recordings that were not found
}

// make writes the folder out, or the archive, by way of a folder beside it. Nothing is left of an export that fails.
func (x *export) make(ctx context.Context, identity, out string) (err error) {
	folder := out
	for _, ending := range []string{".tar.gz", ".tgz"} {
		if name, is := strings.CutSuffix(filepath.Base(out), ending); is {
			folder, x.top = out+".part", name
		}
	}
	if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("export a candidate: %s exists already", out)
	}
	if x.root, err = newFolder(folder); err != nil {
		return fmt.Errorf("export a candidate: %w", err)
	}
	err = x.database.Export(ctx, identity, x.document)
	if errors.Is(err, store.ErrNoCandidate) {
		err = fmt.Errorf("%s has no interview of candidate %q", x.shown, identity)
	}
	if err = errors.Join(err, x.root.Close()); err == nil && x.top != "" {
		err = pack(folder, out)
	}
	if err != nil || x.top != "" {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

// document takes one document of the store.
func (x *export) document(d store.Document) error {
	if err := x.put(d.Name, d.JSON); err != nil {
		return err
	}
	dir, name := path.Split(d.Name)
	switch name {
	case "report.json":
		return x.report(dir, d.JSON)
	case "recordings.json":
		return x.recordings(dir, d.JSON)
	}
	return nil
}

func (x *export) put(name string, data []byte) error {
	x.files++
	return x.write(name, bytes.NewReader(data))
}

// report adds the forms that people read. A report of another version than ours stays as it is.
func (x *export) report(dir string, raw json.RawMessage) error {
	for _, format := range []string{"md", "html"} {
		text, err := reportWriters[format](raw)
		if err != nil {
			return fmt.Errorf("write a report as %s: %w", format, err)
		}
		if err := x.put(dir+"report."+format, text); err != nil {
			return err
		}
	}
	return nil
}

func (x *export) recordings(dir string, raw json.RawMessage) error {
	var all []store.Recording
	if err := json.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("read the index of recordings: %w", err)
	}
	for _, r := range all {
		if err := x.recording(dir, r.Path); err != nil {
			return fmt.Errorf("export recording %s: %w", r.Path, err)
		}
	}
	return nil
}

func (x *export) recording(dir, name string) error {
	if x.sound == nil {
		x.missing = append(x.missing, name)
		return nil
	}
	f, err := x.sound.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		x.missing = append(x.missing, name)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	x.files, x.sounds = x.files+1, x.sounds+1
	return x.write(dir+path.Base(name), f)
}

// newFolder makes a folder that only its owner may look into.
func newFolder(name string) (*os.Root, error) {
	if err := os.Mkdir(name, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(name)
}

func (x *export) write(name string, data io.Reader) error {
	name = path.Join(x.top, name)
	if err := x.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := x.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	return errors.Join(err, f.Close())
}

// pack makes an archive of a folder. It gets its name when it is whole.
func pack(folder, out string) error {
	f, err := os.OpenFile(out+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // beside the file that was asked for
	if err != nil {
		return err
	}
	z := gzip.NewWriter(f)
	t := tar.NewWriter(z)
	err = errors.Join(t.AddFS(os.DirFS(folder)), t.Close(), z.Close(), f.Close())
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), out)
}
