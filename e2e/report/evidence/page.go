// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/draconform/draconform/e2e/report/internal/page"
)

var (
	//go:embed page.html.tmpl
	pageTemplate string

	pageLayout = template.Must(template.New("page").Funcs(template.FuncMap{
		"badge": page.NewBadge, "outcome": outcome, "duration": formatDuration, "style": page.Style,
	}).Parse(pageTemplate))
)

// HTML writes the page. It is a single file without scripts that needs no
// network access. Its links refer to files next to it. The same evidence always
// yields the same page.
func (e Evidence) HTML(ctx context.Context, w io.Writer) error {
	v, err := e.view(ctx)
	if err != nil {
		return err
	}
	if err := pageLayout.Execute(w, v); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return nil
}
