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
		"badge": newBadge, "outcome": outcome, "took": took,
		"style": func() template.CSS { return template.CSS(pageStyle) }, //nolint:gosec // It is a file of ours.
	}).Parse(pageTemplate))
)

// HTML writes the page. It is one file that needs no other, no script and no
// network; its links lead to files beside it. The same evidence gives the same
// page.
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

// badge shows an outcome or a verdict: its class says the colour, its mark is
// for those who do not see colours.
type badge struct{ Class, Mark, Text string }

func newBadge(value any) badge {
	text := fmt.Sprint(value)
	switch text {
	case "passed", "proved", "held":
		return badge{"good", "✓", text}
	case "failed", "broke":
		return badge{"bad", "✗", text}
	case "incomplete":
		return badge{"open", "!", text}
	case "":
		return badge{"open", "!", "no outcome"}
	default:
		return badge{"none", "–", text}
	}
}
