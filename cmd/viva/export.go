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
	"time"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/state/store"
)

func (p *program) exportSessions(ctx context.Context, cmd *cli.Command) error {
	if err := required(ctx, cmd, "identity", "out"); err != nil {
		return err
	}
	return archived(ctx, cmd, func(a archive) error {
		box, err := newBox(cmd.String("out"))
		if err != nil {
			return fmt.Errorf("export a candidate: %w", err)
		}
		x := &export{archive: a, box: box}
		err = a.database.Export(ctx, cmd.String("identity"), x.document)
		if errors.Is(err, store.ErrNoCandidate) {
			err = fmt.Errorf("%s has no interview of candidate %q", a.shown, cmd.String("identity"))
		}
		if err = errors.Join(err, box.close(err == nil)); err != nil {
			return err
		}
		if len(x.missing) > 0 {
			_, _ = fmt.Fprintf(p.errs, "viva: %d recordings are not in the folder for recordings and so not in the export: %s\n", len(x.missing),
				strings.Join(x.missing, ", "))
		}
		_, err = fmt.Fprintf(p.out, "%d files, %d of them sound, in %s\n", x.files, x.sounds, cmd.String("out"))
		return err
	})
}

// export puts what the store has of a candidate into a box, with the files that it only names.
type export struct {
	archive
	box           box
	files, sounds int
	missing       []string // recordings that were not found
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
	return x.box.put(name, int64(len(data)), bytes.NewReader(data))
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
	info, err := f.Stat()
	if err != nil {
		return err
	}
	x.files, x.sounds = x.files+1, x.sounds+1
	return x.box.put(dir+path.Base(name), info.Size(), io.LimitReader(f, info.Size())) // it may be growing
}

// box is where an export goes.
type box interface {
	put(name string, size int64, data io.Reader) error
	// close finishes the box, or throws it away.
	close(whole bool) error
}

func newBox(out string) (box, error) {
	if !strings.HasSuffix(out, ".tar.gz") && !strings.HasSuffix(out, ".tgz") {
		if err := os.Mkdir(out, 0o700); err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(out)
		return &folderBox{out: out, root: root}, err
	}
	if _, err := os.Stat(out); err == nil {
		return nil, fmt.Errorf("%s is there already", out)
	}
	f, err := os.OpenFile(out+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // the file that was asked for
	if err != nil {
		return nil, err
	}
	z := gzip.NewWriter(f)
	return &tarBox{out: out, file: f, zip: z, tar: tar.NewWriter(z)}, nil
}

// folderBox is a folder for those who want to look into it.
type folderBox struct {
	out  string
	root *os.Root
}

func (b *folderBox) put(name string, _ int64, data io.Reader) error {
	if err := b.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	return errors.Join(err, f.Close())
}

func (b *folderBox) close(whole bool) error {
	err := b.root.Close()
	if !whole {
		err = errors.Join(err, os.RemoveAll(b.out))
	}
	return err
}

// tarBox is an archive. It gets its name when it is whole.
type tarBox struct {
	out  string
	file *os.File
	zip  *gzip.Writer
	tar  *tar.Writer
}

func (b *tarBox) put(name string, size int64, data io.Reader) error {
	top := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(b.out), ".tar.gz"), ".tgz")
	err := b.tar.WriteHeader(&tar.Header{Name: path.Join(top, name), Mode: 0o600, Size: size, ModTime: time.Now(), Typeflag: tar.TypeReg})
	if err == nil {
		_, err = io.Copy(b.tar, data)
	}
	return err
}

func (b *tarBox) close(whole bool) error {
	if !whole {
		return errors.Join(b.file.Close(), os.Remove(b.file.Name()))
	}
	if err := errors.Join(b.tar.Close(), b.zip.Close(), b.file.Close()); err != nil {
		return err
	}
	return os.Rename(b.file.Name(), b.out)
}
