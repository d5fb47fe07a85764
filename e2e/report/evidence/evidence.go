// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package evidence renders the result of a run: as a self-contained page, as
// Markdown for pull requests and conformance claims, and as text.
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
	"github.com/draconform/draconform/e2e/report/compare"
)

// The names of the files that [Write] writes.
const (
	PageFile     = "report.html"
	MarkdownFile = "evidence.md"
)

// Evidence is the input of the renderings.
type Evidence struct {
	Report report.Report
	// Files is the directory of the run. It contains the artifacts of failed
	// specs, which the page links and draws. Nil disables links.
	Files fs.FS
	// Requirements, if any, are rendered in the given order.
	Requirements []RequirementOutcome
	// Compared, if set, is the comparison with an earlier run.
	Compared *compare.Comparison
}

// RequirementOutcome is the outcome of a requirement in a run.
type RequirementOutcome struct {
	ID        string
	Statement string
	// Outcome is one word: proved, failed, not-supported, not-run or unproved.
	Outcome string
	// Reason states why it is not proved.
	Reason string
	// Specs are the ids of the specs that prove it.
	Specs []string
}

// Write writes the page and the Markdown next to the report in the directory of
// a run.
func Write(ctx context.Context, dir string, r report.Report, requirements []RequirementOutcome) error {
	e := Evidence{Report: r, Files: os.DirFS(dir), Requirements: requirements}
	page := func(w io.Writer) error { return e.HTML(ctx, w) }
	return errors.Join(write(filepath.Join(dir, MarkdownFile), e.Markdown), write(filepath.Join(dir, PageFile), page))
}

// write writes a file only if rendering succeeds, and replaces it at once, so
// that no reader sees a partial file.
func write(path string, render func(io.Writer) error) error {
	var content bytes.Buffer
	if err := render(&content); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	part := path + ".part"
	if err := os.WriteFile(part, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
