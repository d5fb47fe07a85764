// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// event is a line of "go test -json" as documented in "go doc test2json".
type event struct {
	Action     string
	Package    string
	ImportPath string // Instead of Package, for messages of the compiler.
	Test       string
	Elapsed    float64 // in seconds
	Output     string
}

// times are the measured durations of suites, which may run at the same time.
type times struct {
	begun time.Time
	// mu guards to, which receives the output, and what follows.
	mu       sync.Mutex
	to       io.Writer
	packages []packageTime
	// compiled is the time until the tests of the last package started.
	compiled time.Duration
}

type packageTime struct {
	name string
	took time.Duration
}

// read reads the events of a suite and prints the same output as go test: one
// line per package, and the whole output of failures. It calls starts when the
// tests of a package start, and returns how many tests of each
// package have passed, without subtests.
func (t *times) read(from io.Reader, starts func()) (passed map[string]int, err error) {
	passed = map[string]int{}
	kept, messages := output{}, output{}
	defer func() {
		for path := range messages {
			t.print(messages.take(path)) // Warnings.
		}
	}()
	for lines := json.NewDecoder(from); ; {
		var e event
		if err := lines.Decode(&e); errors.Is(err, io.EOF) {
			return passed, nil
		} else if err != nil {
			_, _ = io.Copy(io.Discard, from) // otherwise go test blocks on its output
			return passed, fmt.Errorf("read the output of go test: %w", err)
		}
		switch e.Action {
		case "build-output":
			messages.add(e)
		case "build-fail":
			t.print(messages.take(e.ImportPath))
		case "start":
			t.start()
			starts()
		case "output":
			kept.add(e)
		case "pass", "skip", "fail":
			kept.end(e)
			if e.Action == "pass" && e.Test != "" && !strings.Contains(e.Test, "/") {
				passed[e.Package]++
			}
			if e.Test == "" {
				t.print(kept.take(e.Package))
				t.end(e)
			}
		}
	}
}

// print prints the output of a package, which that of other suites does not
// interrupt.
func (t *times) print(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprint(t.to, text)
}

// start records that the tests of a package start.
func (t *times) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.compiled = time.Since(t.begun)
}

// end records how long the tests of a package took.
func (t *times) end(e event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.packages = append(t.packages, packageTime{e.Package, time.Duration(e.Elapsed * float64(time.Second))})
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
	of := cmp.Or(e.ImportPath, e.Package)
	o[of] = append(o[of], e)
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
