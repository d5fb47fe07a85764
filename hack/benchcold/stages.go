package main

import (
	"regexp"
	"strings"
	"time"
)

// stage is a stage of a run, from its first to its last line.
type stage struct {
	name     string
	from, to time.Time
}

// The stages in which specs run.
const (
	specsStage = "specs beside each other"
	aloneStage = "specs that run alone"
)

// named replaces parts of stage names that differ between runs.
var named = []struct {
	re *regexp.Regexp
	is string
}{
	{regexp.MustCompile(`^\d+ specs in \d+ processes.*`), specsStage},
	{regexp.MustCompile(`^\d+ specs?, one at a time`), aloneStage},
	{regexp.MustCompile(`\b(draconform|mig|tpu|nic)-[0-9a-f]{4}\b`), "$1"},
	{regexp.MustCompile(`\b(draconform/node:v[0-9.]+)-[0-9a-f]{12}\b`), "$1"},
}

// timeline records the times of the stages of a run from its output.
type timeline struct {
	first    time.Time // time of the first line
	stages   []stage
	verdict  string // the line with the verdict
	judgedAt time.Time
}

// line adds a line: " • NAME ..." begins a stage, " ✓ NAME: RESULT (TIME)" ends
// it.
func (t *timeline) line(at time.Time, text string) {
	if t.first.IsZero() {
		t.first = at
	}
	text = strings.TrimSpace(text)
	mark, rest, _ := strings.Cut(text, " ")
	switch mark {
	case "•":
		t.stages = append(t.stages, stage{name: rename(strings.TrimSuffix(rest, " ...")), from: at})
	case "✓":
		t.ended(at, rename(rest))
	case "verdict:":
		t.verdict, t.judgedAt = text, at
	}
}

func rename(name string) string {
	for _, n := range named {
		name = n.re.ReplaceAllString(name, n.is)
	}
	return name
}

// ended ends the open stage that a line refers to.
func (t *timeline) ended(at time.Time, text string) {
	for i := range t.stages {
		if t.stages[i].to.IsZero() && strings.HasPrefix(text, t.stages[i].name) {
			t.stages[i].to = at
			return
		}
	}
}

// find returns the finished stage with a name.
func (t *timeline) find(name string) (stage, bool) {
	for _, s := range t.stages {
		if s.name == name && !s.to.IsZero() {
			return s, true
		}
	}
	return stage{}, false
}
