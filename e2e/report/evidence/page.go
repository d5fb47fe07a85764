// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

var (
	//go:embed page.html.tmpl
	pageTemplate string
	//go:embed page.css
	pageStyle string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"badge": newBadge, "duration": formatDuration,
		"style": func() template.CSS { return template.CSS(pageStyle) }, //nolint:gosec // The file is embedded.
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
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return nil
}

// badge shows an outcome or a verdict. Its class selects the colour. Its mark
// conveys the same without colour.
type badge struct{ Class, Mark, Text string }

func newBadge(value any) badge {
	text := fmt.Sprint(value)
	switch text {
	case "passed", "proved", "held", "conformant":
		return badge{"good", "✓", text}
	case "failed", "broke", "not-conformant":
		return badge{"bad", "✗", text}
	case "incomplete", "undecided":
		return badge{"open", "!", text}
	case "":
		return badge{"open", "!", "no outcome"}
	default:
		return badge{"none", "–", text}
	}
}
