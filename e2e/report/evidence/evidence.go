// Package evidence tells people what came out of a run: as a page that needs
// nothing else, as Markdown for pull requests and claims, and as text.
package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/draconform/draconform/e2e/report"
)

// The names of the files that [Write] writes.
const (
	PageFile     = "report.html"
	MarkdownFile = "evidence.md"
)

// Evidence is what there is to tell.
type Evidence struct {
	Report report.Report
	// Files is the folder of the run. Of a spec that failed it has what the
	// spec left, which a page links and draws. With nil there are no links.
	Files fs.FS
	// Requirements, if any, are told in the order given.
	Requirements []RequirementOutcome
}

// RequirementOutcome is what a run says about a statement of a KEP.
type RequirementOutcome struct {
	ID        string
	Statement string
	// Outcome is one word: proved, failed, not-supported, not-run or unproved.
	Outcome string
	// Reason is why it is not proved.
	Reason string
	// Specs are the ids of the specs that prove it.
	Specs []string
}

// Write writes the page and the Markdown beside the report in the folder of a
// run.
func Write(ctx context.Context, dir string, r report.Report, requirements []RequirementOutcome) error {
	e := Evidence{Report: r, Files: os.DirFS(dir), Requirements: requirements}
	page := func(w io.Writer) error { return e.HTML(ctx, w) }
	return errors.Join(write(filepath.Join(dir, MarkdownFile), e.Markdown), write(filepath.Join(dir, PageFile), page))
}

// write leaves no half of a file where rendering fails.
func write(path string, render func(io.Writer) error) error {
	var content bytes.Buffer
	if err := render(&content); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if err := os.WriteFile(path, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
