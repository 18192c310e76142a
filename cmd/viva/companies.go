package main

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/kinds/design"
)

// companies are those that come with Viva and those in the interviews folder. Close ends their connections.
func companies(s *settings.Settings) (*design.Factory, error) {
	var folders []fs.FS
	if s.Interviews.Dir != "" {
		folders = append(folders, os.DirFS(s.Interviews.Dir))
	}
	f, err := design.NewFactory(design.Options{
		Folders: folders, Allow: s.Companies.Allowed(), Token: s.Companies.Token, Wait: s.Companies.Wait,
	})
	if err != nil {
		return nil, fmt.Errorf("load the companies (companies/ in --interviews; hosts by --company-hosts or VIVA_COMPANY_HOSTS): %w", err)
	}
	return f, nil
}
