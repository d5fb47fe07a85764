// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package docs generates the pages of the documentation that are derived from
// the specs, the requirements, the auditor's rules and published reports, and the
// schemas of file formats.
package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/requirements/gatetable"
	"github.com/draconform/draconform/e2e/suite"
)

// The names of the pages.
const (
	cataloguePage    = "catalogue.md"
	requirementsPage = "requirements.md"
	alarmsPage       = "alarms.md"
	reportsPage      = "reports.md"
)

// Pages returns the pages by file name. dir is the directory docs of a
// checkout, because the catalogue also has comments from the sources of the
// specs. The output is deterministic. Each spec and each requirement has its
// own lines, and no line depends on the number of other specs.
func Pages(dir string, specs []suite.Spec, documents []requirements.Document) (map[string]string, error) {
	comments, err := readComments(dir, specs)
	if err != nil {
		return nil, err
	}
	catalogue, err := renderCatalogue(specs, comments)
	if err != nil {
		return nil, err
	}
	page, err := renderRequirements(gatetable.Lines(), documents)
	if err != nil {
		return nil, err
	}
	reports, err := Reports(dir)
	if err != nil {
		return nil, err
	}
	return map[string]string{cataloguePage: catalogue, requirementsPage: page, alarmsPage: renderAlarms(), reportsPage: reports}, nil
}

// Write writes the pages into the directory docs of a checkout and returns
// their paths.
func Write(dir string, specs []suite.Spec, documents []requirements.Document) ([]string, error) {
	pages, err := Pages(dir, specs, documents)
	if err != nil {
		return nil, fmt.Errorf("write a page of the documentation: %w", err)
	}
	var paths []string
	for _, name := range []string{cataloguePage, requirementsPage, alarmsPage, reportsPage} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(pages[name]), 0o644); err != nil {
			return nil, fmt.Errorf("write a page of the documentation: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// generated returns the first line of each page.
func generated(from string) string {
	return fmt.Sprintf("<!-- \"make docs\" writes this page from %s. -->\n\n", from)
}

// table returns the header of a table.
func table(columns ...string) string {
	return line(columns...) + "|" + strings.Repeat("---|", len(columns)) + "\n"
}

// line returns a table row. Its cells are Markdown.
func line(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

var escapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "&", `\&`,
)

// plain escapes text for a Markdown table cell.
func plain(text string) string { return escapes.Replace(strings.Join(strings.Fields(text), " ")) }

// anchored returns a name with an anchor for links. The id of a spec or a
// requirement needs no escapes.
func anchored(id string) string { return fmt.Sprintf(`<a id="%s"></a>%s`, id, id) }

// links returns links to anchors on a page.
func links(page string, ids []string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = fmt.Sprintf("[%s](%s#%s)", id, page, id)
	}
	return strings.Join(all, ", ")
}
