// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/suite"
)

// silence is the time after which a state without changes is marked as such. A
// running spec does not change it.
const silence = 15 * time.Minute

var (
	//go:embed page.html.tmpl
	pageTemplate string
	//go:embed page.js
	pageScript string

	layout = template.Must(page.New("", template.FuncMap{
		"since":  since,
		"script": func() template.JS { return template.JS(pageScript) }, //nolint:gosec // The file is embedded.
		"policy": func() string { return page.Policy(pageScript) + "; connect-src 'self'" },
	}).Parse(pageTemplate))
)

// html writes the page, which updates itself.
func (s State) html(w io.Writer) error {
	if err := layout.ExecuteTemplate(w, "page", s); err != nil {
		return fmt.Errorf("render the state of a run: %w", err)
	}
	return nil
}

// fragment returns the part of the page that changes.
func (s State) fragment() (string, error) {
	var b bytes.Buffer
	if err := layout.ExecuteTemplate(&b, "state", s); err != nil {
		return "", fmt.Errorf("render the state of a run: %w", err)
	}
	return b.String(), nil
}

// Summary returns how many specs have finished, and their outcomes.
func (s State) Summary() string {
	if s.Planned == 0 {
		return "no spec has begun"
	}
	var counts []string
	for _, o := range []suite.Outcome{suite.Passed, suite.Failed, suite.Skipped, suite.NotApplicable, suite.NotSupported} {
		n := 0
		for _, f := range s.Specs {
			if f.Outcome == o {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.TrimSuffix(fmt.Sprintf("%d of %d specs have finished: %s", len(s.Specs), s.Planned, strings.Join(counts, ", ")), ": ")
}

// Tasks returns the running tasks, the one that was updated last first.
func (s State) Tasks() []progress.TaskState {
	tasks := slices.Clone(s.Now.Tasks)
	slices.Reverse(tasks)
	return tasks
}

// Failed returns the failed specs.
func (s State) Failed() []report.Spec {
	return slices.DeleteFunc(slices.Clone(s.Specs), func(f report.Spec) bool { return f.Outcome != suite.Failed })
}

// Overview returns what the first screen shows, as that of the report will. Whether a
// profile is conformant is known only at the end.
func (s State) Overview() page.Overview {
	provisional := report.Spec.Provisional
	decisive := func(f report.Spec) bool { return !provisional(f) }
	o := page.Overview{
		Counts:            page.CountSpecs("The core and extended specs that have finished", slices.DeleteFunc(slices.Clone(s.Specs), provisional)),
		ProvisionalCounts: page.CountSpecs("New specs that have finished, without effect on the verdict", slices.DeleteFunc(slices.Clone(s.Specs), decisive)),
	}
	for _, f := range s.Failed() {
		o.Add(f, page.Short(f.Reason), "")
	}
	return o
}

// Latest returns the finished specs, the last one first.
func (s State) Latest() []report.Spec {
	latest := slices.Clone(s.Specs)
	slices.Reverse(latest)
	return latest
}

// Silent returns how long nothing has changed, if that is unusual. A run that was
// killed leaves no report.
func (s State) Silent() string {
	if time.Since(s.Changed) < silence {
		return ""
	}
	return since(s.Changed)
}

// since formats the time since a start.
func since(t time.Time) string { return progress.Round(time.Since(t)).Truncate(time.Second).String() }
