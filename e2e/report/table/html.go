// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package table

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/report/published"
)

var (
	//go:embed table.html.tmpl
	htmlTemplate string
	//go:embed table.css
	htmlStyle string

	htmlLayout = template.Must(page.New("table", template.FuncMap{
		"isWebPage": published.IsWebPage, "relative": relative, "notes": Row.notes, "join": strings.Join,
		"style": func() template.CSS { return page.Style() + template.CSS(htmlStyle) }, //nolint:gosec // The file is embedded.
	}).Parse(htmlTemplate))
)

// HTML writes the tables as a page: a single file without scripts that needs no
// network access. Links to reports are relative to the compared directory.
func (t Table) HTML(w io.Writer) error {
	data := struct {
		Title, About, Apart string
		Sections            []titled
	}{title, t.about(), apart, t.sections()}
	if err := htmlLayout.Execute(w, data); err != nil {
		return fmt.Errorf("render the table: %w", err)
	}
	return nil
}
