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

// The stages that no line of their own begins.
const (
	specsStage = "specs beside each other"
	aloneStage = "specs that run alone"
)

// The lines that a run is read by: " • NAME ..." begins a stage, " ✓ NAME: RESULT (TIME)" ends it.
var (
	suffixRE  = regexp.MustCompile(`\b(draconform|mig|tpu|nic)-[0-9a-f]{4}\b`) // of a run, in names
	processRE = regexp.MustCompile(`^\d+ specs in \d+ processes`)
	aloneRE   = regexp.MustCompile(`^spec \d+ of \d+: `)
)

// timeline reads the output of a run line by line.
type timeline struct {
	first    time.Time // when the first line came
	stages   []stage
	verdict  string // the line that says so
	judgedAt time.Time
}

func (t *timeline) line(at time.Time, text string) {
	if t.first.IsZero() {
		t.first = at
	}
	text = suffixRE.ReplaceAllString(strings.TrimSpace(text), "$1")
	switch {
	case strings.HasPrefix(text, "• "):
		name := strings.TrimSuffix(strings.TrimPrefix(text, "• "), " ...")
		if strings.HasPrefix(name, "remove cluster") {
			t.end(at, aloneStage)
		}
		t.stages = append(t.stages, stage{name: name, from: at})
	case processRE.MatchString(text):
		t.stages = append(t.stages, stage{name: specsStage, from: at})
	case aloneRE.MatchString(text):
		if t.end(at, specsStage) {
			t.stages = append(t.stages, stage{name: aloneStage, from: at})
		}
	case strings.HasPrefix(text, "✓ "):
		t.ended(at, strings.TrimPrefix(text, "✓ "))
	case strings.HasPrefix(text, "passed: "), strings.HasPrefix(text, "failed: "):
		t.verdict, t.judgedAt = text, at
	}
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

// end ends a stage by its name, and reports whether it was open.
func (t *timeline) end(at time.Time, name string) bool {
	for i := range t.stages {
		if t.stages[i].name == name && t.stages[i].to.IsZero() {
			t.stages[i].to = at
			return true
		}
	}
	return false
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
