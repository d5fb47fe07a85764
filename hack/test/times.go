// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// event is a line of "go test -json" as documented in "go doc test2json".
type event struct {
	Time    time.Time
	Action  string
	Package string
	Test    string
	Elapsed float64 // in seconds
	Output  string
}

// times are the measured durations.
type times struct {
	begun    time.Time
	packages []packageTime
	// passed is the number of tests that have passed, without subtests.
	passed int
	// compiled is the sum over all suites of the time until the tests of the
	// last package started.
	compiled time.Duration
}

type packageTime struct {
	name string
	took time.Duration
}

// read reads the events of a suite and prints the same output as go test: one
// line per package, and the whole output of failures.
func (t *times) read(from io.Reader, to io.Writer) error {
	kept := output{}
	begun, lastStart := time.Now(), time.Time{}
	for lines := json.NewDecoder(from); ; {
		var e event
		if err := lines.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			_, _ = io.Copy(io.Discard, from) // otherwise go test blocks on its output
			return fmt.Errorf("read the output of go test: %w", err)
		}
		switch e.Action {
		case "build-output":
			fmt.Fprint(to, e.Output)
		case "start":
			lastStart = e.Time
		case "output":
			kept.add(e)
		case "pass", "skip", "fail":
			kept.end(e)
			if e.Action == "pass" && e.Test != "" && !strings.Contains(e.Test, "/") {
				t.passed++
			}
			if e.Test == "" {
				fmt.Fprint(to, kept.take(e.Package))
				t.packages = append(t.packages, packageTime{e.Package, time.Duration(e.Elapsed * float64(time.Second))})
			}
		}
	}
	if !lastStart.IsZero() {
		t.compiled += lastStart.Sub(begun)
	}
	return nil
}

// output is the output of packages by their import paths.
type output map[string][]event

// add adds a line, unless it only shows the state of a test.
func (o output) add(e event) {
	for _, where := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME "} {
		if strings.HasPrefix(e.Output, where) {
			return
		}
	}
	o[e.Package] = append(o[e.Package], e)
}

// end drops the output of a test that did not fail. For a package that did not
// fail, it keeps only the last line.
func (o output) end(e event) {
	if e.Action == "fail" {
		return
	}
	all := o[e.Package]
	kept := slices.DeleteFunc(slices.Clone(all), func(line event) bool {
		return e.Test == "" || line.Test == e.Test || strings.HasPrefix(line.Test, e.Test+"/")
	})
	if e.Test == "" && len(all) > 0 {
		kept = all[len(all)-1:]
	}
	o[e.Package] = kept
}

// take returns and removes the remaining output of a package.
func (o output) take(path string) string {
	var b strings.Builder
	for _, line := range o[path] {
		b.WriteString(line.Output)
	}
	delete(o, path)
	return b.String()
}

// table returns the durations, which are printed last.
func (t *times) table() string {
	const shown = 10
	slices.SortStableFunc(t.packages, func(a, b packageTime) int { return int(b.took - a.took) })
	var b strings.Builder
	var sum time.Duration
	for _, p := range t.packages {
		sum += p.took
	}
	fmt.Fprintf(&b, "\n%d packages in %s; the last test started after %s; tests took %s in total, the longest:\n",
		len(t.packages), time.Since(t.begun).Round(time.Second), t.compiled.Round(time.Second), sum.Round(time.Second))
	for _, p := range t.packages[:min(shown, len(t.packages))] {
		fmt.Fprintf(&b, "%8s  %s\n", p.took.Round(100*time.Millisecond), p.name)
	}
	return b.String()
}

// order returns the content of longest.txt: the packages whose tests take at
// least a few seconds, the longest first.
func (t *times) order() string {
	const long = 3 * time.Second
	var b strings.Builder
	for _, p := range t.packages {
		if p.took >= long {
			b.WriteString(p.name + "\n")
		}
	}
	return b.String()
}
