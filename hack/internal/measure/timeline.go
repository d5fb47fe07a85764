// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Task is a task of a run, from its first to its last line.
type Task struct {
	// Name is the name in the output, without what differs between runs. The
	// second task with a name has " (2)" at the end, and so on.
	Name     string
	From, To time.Time
	// prefix is what the lines of the task begin with.
	prefix string
}

// Names of the tasks in which specs run.
const (
	ParallelSpecs = "specs in parallel"
	SerialSpecs   = "specs one at a time"
)

// replacements are for parts of the names of tasks that differ between runs.
var replacements = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`^\d+ specs in \d+ processes.*`), ParallelSpecs},
	{regexp.MustCompile(`^\d+ specs?, one at a time`), SerialSpecs},
	{regexp.MustCompile(`\b(draconform|draconform-vendor|mig|tpu|nic)-[0-9a-f]{4}\b`), "$1"},
	{regexp.MustCompile(`\b(draconform/node:v[0-9.]+)-[0-9a-f]{12}\b`), "$1"},
}

// Timeline has the times of the tasks of a run from its output.
type Timeline struct {
	First    time.Time // time of the first line
	Tasks    []Task
	Verdict  string // the last line with a verdict
	JudgedAt time.Time
}

// line adds a line: " • NAME ..." starts a task, " ✓ NAME: RESULT (TIME)" ends
// it.
func (t *Timeline) line(at time.Time, text string) {
	if t.First.IsZero() {
		t.First = at
	}
	text = strings.TrimSpace(text)
	mark, rest, _ := strings.Cut(text, " ")
	switch mark {
	case "•":
		t.begin(at, rename(strings.TrimSuffix(rest, " ...")))
	case "✓":
		t.end(at, rename(rest))
	case "verdict:":
		t.Verdict, t.JudgedAt = text, at
	}
}

func rename(name string) string {
	for _, r := range replacements {
		name = r.pattern.ReplaceAllString(name, r.name)
	}
	return name
}

// begin adds a task.
func (t *Timeline) begin(at time.Time, name string) {
	added := Task{Name: name, From: at, prefix: name}
	same := 0
	for _, other := range t.Tasks {
		if other.prefix == name {
			same++
		}
	}
	if same > 0 {
		added.Name = fmt.Sprintf("%s (%d)", name, same+1)
	}
	t.Tasks = append(t.Tasks, added)
}

// end ends the open task that a line refers to.
func (t *Timeline) end(at time.Time, text string) {
	for i := range t.Tasks {
		if t.Tasks[i].To.IsZero() && strings.HasPrefix(text, t.Tasks[i].prefix) {
			t.Tasks[i].To = at
			return
		}
	}
}

// Find returns the finished task with a name.
func (t *Timeline) Find(name string) (Task, bool) {
	for _, s := range t.Tasks {
		if s.Name == name && !s.To.IsZero() {
			return s, true
		}
	}
	return Task{}, false
}

// FirstSpecs returns the first task in which specs ran.
func (t *Timeline) FirstSpecs() (Task, bool) {
	if s, found := t.Find(ParallelSpecs); found {
		return s, true
	}
	return t.Find(SerialSpecs)
}
