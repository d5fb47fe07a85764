// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/suite"
)

// MaxPage is the size in bytes that the page stays below, however many of 640 specs
// failed. Larger pages have fewer details.
const MaxPage = 600_000

var (
	//go:embed *.html.tmpl
	pageTemplates embed.FS
	//go:embed filter.js
	filterScript string

	pageLayout = template.Must(page.New("", template.FuncMap{
		"outcome": outcome, "duration": formatDuration, "hue": hue, "segments": segments, "head": head,
		"policy": func() string { return page.Policy(filterScript) },
		"script": func() template.JS { return template.JS(filterScript) }, //nolint:gosec // The file is embedded.
	}).ParseFS(pageTemplates, "*.html.tmpl"))
)

// HTML writes the page. It is a single file that needs no network access and no
// script: its own only filters specs. Its links refer to files next to it. The
// same evidence always yields the same page.
func (e Evidence) HTML(ctx context.Context, w io.Writer) error {
	v, err := e.view(ctx)
	if err != nil {
		return err
	}
	var content bytes.Buffer
	for _, d := range details {
		content.Reset()
		if err := pageLayout.ExecuteTemplate(&content, "page.html.tmpl", v.limited(d)); err != nil {
			return fmt.Errorf("render the page: %w", err)
		}
		if content.Len() < MaxPage {
			break
		}
	}
	_, err = content.WriteTo(w)
	return err
}

// detail is the amount of detail of a page.
type detail struct {
	// passed states that specs that passed have steps.
	passed bool
	// steps is the number of the last steps of other specs.
	steps int
	// pools is the number of failed specs whose pools are drawn.
	pools int
	// failures is the number of failed specs with details.
	failures int
	// reason is the length of reasons in characters, and short that of reasons in the table of
	// all specs.
	reason, short int
	// tried leaves out requirements of which no spec passed or failed, and noTimeline when
	// each spec ran. Both are of little use to those who look for the cause of a failure.
	tried, noTimeline bool
	// leftOut describes what the page lacks.
	leftOut string
}

// details are the amounts of detail in the order in which they are tried. What failed loses
// details last.
var details = []detail{
	{passed: true, steps: math.MaxInt, pools: math.MaxInt, failures: math.MaxInt, reason: 20_000, short: math.MaxInt},
	{steps: 200, pools: 50, failures: math.MaxInt, reason: 20_000, short: math.MaxInt, leftOut: "steps of specs that passed, and parts of very long reasons"},
	{
		steps: 200, pools: 50, failures: math.MaxInt, reason: 20_000, short: math.MaxInt, tried: true,
		leftOut: "steps of specs that passed, parts of very long reasons, and requirements of which no spec passed or failed",
	},
	{
		steps: 200, pools: 50, failures: math.MaxInt, reason: 20_000, short: math.MaxInt, tried: true, noTimeline: true,
		leftOut: "steps of specs that passed, parts of very long reasons, requirements of which no spec passed or failed, and the timeline",
	},
	{
		steps: 30, pools: 20, failures: math.MaxInt, reason: 4000, short: math.MaxInt, tried: true, noTimeline: true,
		leftOut: "most steps, parts of long reasons, some pools, requirements of which no spec passed or failed, and the timeline",
	},
	{
		steps: 2, pools: 3, failures: 200, reason: 300, short: 120, tried: true, noTimeline: true,
		leftOut: "most steps, parts of reasons, most pools, requirements of which no spec passed or failed, and the timeline",
	},
	{
		steps: 1, pools: 3, failures: 20, reason: 300, short: 80, tried: true, noTimeline: true,
		leftOut: "most steps, parts of reasons, most pools, details of all but the first failures, requirements of which no spec passed or failed, and the timeline",
	},
}

// limited returns the view with an amount of detail.
func (v view) limited(d detail) view {
	v.LeftOut = d.leftOut
	drawn := 0
	v.Specs = slices.Clone(v.Specs)
	for i := range v.Specs {
		s := &v.Specs[i]
		if !d.passed && s.Outcome == suite.Passed {
			s.Steps = nil
		}
		s.Steps, s.Line = last(s.Steps, d.steps), last(s.Line, d.steps)
		s.Reason, s.Short = cut(s.Reason, d.reason), page.Abbreviated(s.Short, d.short)
		if len(s.Pools) > 0 {
			if drawn++; drawn > d.pools {
				s.Pools = nil
			}
		}
	}
	if d.noTimeline {
		v.Timeline = nil
	}
	if d.tried {
		v.Requirements = slices.DeleteFunc(slices.Clone(v.Requirements), func(r RequirementOutcome) bool { return !r.tried() })
	}
	v.sort(d.failures)
	return v
}

// last returns the last n elements.
func last[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// cut shortens text to n characters.
func cut(text string, n int) string {
	if all := []rune(text); len(all) > n {
		return string(all[:n]) + "… report.yaml has the rest"
	}
	return text
}
