package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// clientBundle is livekit-client, which vendor.sh puts there.
const clientBundle = "static/vendor/livekit-client.esm.mjs"

const pageFile = "static/index.html"

//go:embed all:static
var staticFiles embed.FS

// assets serves embedded files. They carry a digest of their content as ETag, because embedded files have no date.
type assets struct {
	files map[string]asset // by slash-separated path, with "static/"
}

type asset struct {
	content []byte
	etag    string
	kind    string // media type
}

var _ http.Handler = (*assets)(nil)

func newAssets(tree fs.FS) (*assets, error) {
	a := &assets{files: make(map[string]asset)}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		sum := sha256.Sum256(content)
		a.files[name] = asset{content, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, mediaType(name)}
		return nil
	})
	return a, err
}

func (a *assets) has(name string) bool {
	_, ok := a.files[name]
	return ok
}

// ServeHTTP serves the file the path names.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.serve(w, r, strings.TrimPrefix(r.URL.Path, "/"))
}

// page serves the page whatever the query.
func (a *assets) page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, pageFile) })
}

func (a *assets) serve(w http.ResponseWriter, r *http.Request, name string) {
	file, ok := a.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", file.kind)
	w.Header().Set("ETag", file.etag)
	w.Header().Set("Cache-Control", "no-cache") // keep, but ask each time; the ETag makes asking cheap
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.content))
}

// mediaType does not rely on the machine's own tables for what the page needs: with nosniff a wrong type breaks it.
func mediaType(name string) string {
	ext := path.Ext(name)
	return cmp.Or(mediaTypes[ext], mime.TypeByExtension(ext), "application/octet-stream")
}

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".md": "text/plain; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".js": "text/javascript; charset=utf-8",
}
