// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/report/published"
)

// Markdown writes the tables in GitHub Flavored Markdown. Links to reports are
// relative to the compared directory.
func (t Table) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n", title, t.about())
	for _, group := range t.sections() {
		fmt.Fprintf(&b, "\n## %s\n\n", page.Cell(group.Title))
		if group.Partial {
			b.WriteString(apart + "\n\n")
		}
		b.WriteString("| implementation | report |")
		for _, profile := range group.Profiles {
			fmt.Fprintf(&b, " %s |", page.Cell(profile))
		}
		b.WriteString("\n|---|---|" + strings.Repeat("---|", len(group.Profiles)) + "\n")
		for _, row := range group.Reports {
			row.markdown(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r Row) markdown(b *bytes.Buffer) {
	name := page.Cell(r.Organization + " " + r.Project)
	if published.IsWebPage(r.URL) {
		name = fmt.Sprintf("[%s](%s)", name, destination(r.URL))
	}
	fmt.Fprintf(b, "| %s<br>%s |", name, page.Cell(strings.Join(r.Drivers, ", ")))
	about := append([]string{
		fmt.Sprintf("[%s, mode %s](%s)", page.Cell(r.Version), page.Cell(r.Mode), destination(relative(r.Report))),
		page.Cell("Kubernetes " + r.Kubernetes),
	}, cells(r.notes())...)
	fmt.Fprintf(b, " %s |", strings.Join(about, "<br>"))
	for _, c := range r.Cells {
		fmt.Fprintf(b, " %s |", c.markdown())
	}
	b.WriteByte('\n')
}

func (c Cell) markdown() string {
	if c.Result == "" {
		return "no specs"
	}
	badge := page.NewBadge(c.Result)
	lines := []string{badge.Mark + " " + page.Cell(badge.Text), fmt.Sprintf("%d of %d", c.Passed, c.Executable)}
	if c.Core != nil {
		lines = append(lines, fmt.Sprintf("core %d of %d", c.Core.Passed, c.Core.Specs))
	}
	for _, f := range c.Features {
		lines = append(lines, page.Cell(string(f)))
	}
	return strings.Join(lines, "<br>")
}

// cells escapes texts.
func cells(texts []string) []string {
	escaped := make([]string, len(texts))
	for i, text := range texts {
		escaped[i] = page.Cell(text)
	}
	return escaped
}

// relative returns the path of a report as a link. Without the dot, a colon in the
// first folder would end a scheme.
func relative(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	link := strings.Join(segments, "/")
	if segments[0] == ".." {
		return link
	}
	return "./" + link
}

var delimiters = strings.NewReplacer(
	"(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "|", "%7C", `\`, "%5C", "`", "%60", "\"", "%22", " ", "%20", "\t", "%09", "\n", "%0A", "\r", "%0D",
)

// destination escapes what ends the destination of a link, or the cell around
// it.
func destination(address string) string { return delimiters.Replace(address) }
