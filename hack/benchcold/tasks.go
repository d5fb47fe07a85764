// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"
	"time"
)

// task is a task of a run, from its first to its last line.
type task struct {
	name     string
	from, to time.Time
}

// Names of the tasks in which specs run.
const (
	parallelSpecs = "specs in parallel"
	serialSpecs   = "specs one at a time"
)

// replacements are for parts of the names of tasks that differ between runs.
var replacements = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`^\d+ specs in \d+ processes.*`), parallelSpecs},
	{regexp.MustCompile(`^\d+ specs?, one at a time`), serialSpecs},
	{regexp.MustCompile(`\b(draconform|mig|tpu|nic)-[0-9a-f]{4}\b`), "$1"},
	{regexp.MustCompile(`\b(draconform/node:v[0-9.]+)-[0-9a-f]{12}\b`), "$1"},
}

// timeline records the times of the tasks of a run from its output.
type timeline struct {
	first    time.Time // time of the first line
	tasks    []task
	verdict  string // the line with the verdict
	judgedAt time.Time
}

// line adds a line: " • NAME ..." starts a task, " ✓ NAME: RESULT (TIME)" ends
// it.
func (t *timeline) line(at time.Time, text string) {
	if t.first.IsZero() {
		t.first = at
	}
	text = strings.TrimSpace(text)
	mark, rest, _ := strings.Cut(text, " ")
	switch mark {
	case "•":
		t.tasks = append(t.tasks, task{name: rename(strings.TrimSuffix(rest, " ...")), from: at})
	case "✓":
		t.end(at, rename(rest))
	case "verdict:":
		t.verdict, t.judgedAt = text, at
	}
}

func rename(name string) string {
	for _, r := range replacements {
		name = r.pattern.ReplaceAllString(name, r.name)
	}
	return name
}

// end ends the open task that a line refers to.
func (t *timeline) end(at time.Time, text string) {
	for i := range t.tasks {
		if t.tasks[i].to.IsZero() && strings.HasPrefix(text, t.tasks[i].name) {
			t.tasks[i].to = at
			return
		}
	}
}

// find returns the finished task with a name.
func (t *timeline) find(name string) (task, bool) {
	for _, s := range t.tasks {
		if s.name == name && !s.to.IsZero() {
			return s, true
		}
	}
	return task{}, false
}
