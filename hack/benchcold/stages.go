package main

import (
	"regexp"
	"strings"
	"time"
)

// stage is a part of a run, from the line that begins it to the one that ends it.
type stage struct {
	name     string
	from, to time.Time
}

// The stages in which specs run.
const (
	specsStage = "specs beside each other"
	aloneStage = "specs that run alone"
)

// named are the names of stages that differ from run to run.
var named = []struct {
	re *regexp.Regexp
	is string
}{
	{regexp.MustCompile(`^\d+ specs in \d+ processes.*`), specsStage},
	{regexp.MustCompile(`^\d+ specs? by themselves`), aloneStage},
	{regexp.MustCompile(`\b(draconform|mig|tpu|nic)-[0-9a-f]{4}\b`), "$1"},
	{regexp.MustCompile(`\b(draconform/node:v[0-9.]+)-[0-9a-f]{12}\b`), "$1"},
}

// timeline reads the output of a run line by line.
type timeline struct {
	first    time.Time // when the first line came
	stages   []stage
	verdict  string // the line that says so
	judgedAt time.Time
}

// line reads a line: " • NAME ..." begins a stage, " ✓ NAME: RESULT (TIME)" ends
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

// ended ends the open stage that a line is about.
func (t *timeline) ended(at time.Time, text string) {
	for i := range t.stages {
		if t.stages[i].to.IsZero() && strings.HasPrefix(text, t.stages[i].name) {
			t.stages[i].to = at
			return
		}
	}
}

// find returns a stage that has ended.
func (t *timeline) find(name string) (stage, bool) {
	for _, s := range t.stages {
		if s.name == name && !s.to.IsZero() {
			return s, true
		}
	}
	return stage{}, false
}
