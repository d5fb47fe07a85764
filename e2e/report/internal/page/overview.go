// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite/env"
)

// maxFailed is the number of failed specs at the top of a page, and maxNarrow that of
// those for which a narrow screen has room, as the style sheet says.
const (
	maxFailed = 6
	maxNarrow = 3
)

// Overview is what the first screen of a page about a run shows: what failed and why,
// and the profiles by outcome.
type Overview struct {
	// Failed are the specs that fail the run, and WithoutEffect the provisional ones
	// that failed.
	Failed, WithoutEffect []Failure
	// Counts are about core and extended specs.
	Counts, ProvisionalCounts *CountTable
}

// Failure is a failed spec.
type Failure struct {
	ID, Description string
	Component       env.Component
	// Note is for example that the spec passed before.
	Note string
	// Reason is the beginning of the reason.
	Reason string
}

// Add adds a failed spec.
func (o *Overview) Add(s report.Spec, reason, note string) {
	f := Failure{ID: s.ID, Description: s.Description, Component: s.Component, Note: note, Reason: reason}
	if s.Provisional() {
		o.WithoutEffect = append(o.WithoutEffect, f)
	} else {
		o.Failed = append(o.Failed, f)
	}
}

//go:embed parts.html.tmpl
var parts string

// New returns a template with the parts that pages have in common, such as "overview",
// for a page that uses these functions in addition.
func New(name string, functions template.FuncMap) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"badge": NewBadge, "style": Style, "word": func(o any) string { return OutcomeText(fmt.Sprint(o)) },
		"first": func(all []Failure) []Failure { return all[:min(maxFailed, len(all))] },
		"more":  func(all []Failure) bool { return len(all) > maxNarrow },
	}).Funcs(functions).Parse(parts))
}

// Short returns the beginning of a reason: the step, the error that ended it,
// and what was expected. If that is an error, or compares two values, it has these.
func Short(reason string) string {
	const runes = 240
	lines, most := strings.Split(strings.TrimSpace(reason), "\n"), 2
	if len(lines) > 1 && (strings.HasPrefix(lines[1], "Expected") || lines[1] == "Unexpected error:") {
		most = 5
	}
	return Abbreviated(strings.Join(strings.Fields(strings.Join(lines[:min(most, len(lines))], " ")), " "), runes)
}

// Abbreviated returns the beginning of a text of one line.
func Abbreviated(text string, runes int) string {
	if all := []rune(text); len(all) > runes {
		return strings.TrimSpace(string(all[:runes])) + "…"
	}
	return text
}
