package pdf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/report/pdf"
)

func sample(t *testing.T, locale string) *report.Report {
	t.Helper()
	var src report.Source
	raw, err := os.ReadFile("../testdata/persona.json")
	if err == nil {
		err = json.Unmarshal(raw, &src)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile("../testdata/persona.yaml")
	}
	if err == nil {
		src.Definition, err = definition.Parse("persona.yaml", text)
	}
	if err != nil {
		t.Fatal(err)
	}
	src.State.Locale = locale
	return report.Build(src)
}

func fonts(t *testing.T) pdf.Fonts {
	t.Helper()
	f, err := pdf.Find(os.DirFS("/"))
	if errors.Is(err, pdf.ErrNoFont) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// RX-17: a PDF in each language, whose text can be read out of it again.
func TestWrite(t *testing.T) {
	f := fonts(t)
	for locale, want := range map[string]string{"en": "Interview report", "vi": "Báo cáo phỏng vấn", "zh": "面试报告"} {
		t.Run(locale, func(t *testing.T) {
			if locale == "zh" && f.Wide == nil {
				t.Skip("no font for Chinese: apt-get install fonts-droid-fallback")
			}
			var first, second bytes.Buffer
			for _, b := range []*bytes.Buffer{&first, &second} {
				if err := pdf.Write(b, sample(t, locale), f); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("the same report gave other bytes")
			}
			if bytes.Contains(first.Bytes(), []byte("/JavaScript")) || first.Len() > 2<<20 {
				t.Errorf("%d bytes", first.Len())
			}
			text := extract(t, locale, first.Bytes())
			for _, w := range []string{want, "Linh Tran", "3.6", "sixty percent of the late deliveries"} {
				if !strings.Contains(text, w) {
					t.Errorf("the text lacks %q", w)
				}
			}
		})
	}
}

// extract reads the text with poppler, if it is there.
func extract(t *testing.T, name string, document []byte) string {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("VIVA_ARTIFACTS"); keep != "" {
		dir = keep
	}
	path := filepath.Join(dir, "report-"+name+".pdf")
	if err := os.WriteFile(path, document, 0o600); err != nil {
		t.Fatal(err)
	}
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed: the text was not read back; on Debian: apt-get install poppler-utils")
	}
	out, err := exec.CommandContext(t.Context(), tool, path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// Chinese without a font for it is told, not drawn as boxes.
func TestWriteWithoutWideFont(t *testing.T) {
	f := fonts(t)
	f.Wide = nil
	var b bytes.Buffer
	if err := pdf.Write(&b, sample(t, "zh"), f); !errors.Is(err, pdf.ErrNoFont) || b.Len() != 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
	f.Regular = []byte("no font")
	if err := pdf.Write(&b, sample(t, "en"), f); err == nil {
		t.Error("a broken font was accepted")
	}
}
