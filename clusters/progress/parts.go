// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"slices"
	"strings"
	"time"
)

// maxParts is the maximum number of parts that are shown on a terminal.
const maxParts = 8

// Part is a part of a task that runs now, for example one of several specs.
type Part struct {
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
}

func (p Part) text() string { return p.Name + " (" + Round(time.Since(p.Started)).String() + ")" }

// parts are the running parts of a task, in the order of their start.
type parts []Part

func (all parts) text() string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.text()
	}
	return strings.Join(texts, ", ")
}

// Begin reports that a part of the task has begun. Parts may overlap.
func (t *Task) Begin(part string) {
	t.change(func() { t.parts = append(t.parts, Part{part, time.Now()}) })
}

// End reports that a part of the task has ended. It has no effect if the part
// has not begun.
func (t *Task) End(part string) {
	t.change(func() { t.parts = slices.DeleteFunc(t.parts, func(p Part) bool { return p.Name == part }) })
}

func (t *Task) change(parts func()) {
	if t == nil || t.reporter == nil || t.reporter.out == nil {
		return
	}
	t.reporter.mu.Lock()
	defer t.reporter.mu.Unlock()
	parts()
	t.reporter.update()
}

// State is what runs at a time.
type State struct {
	Tasks []TaskState `json:"tasks,omitempty"`
	// Left is the estimate of the remaining time, such as "about 5 min until the
	// verdict". It is empty if there is none.
	Left string `json:"left,omitempty"`
}

// TaskState is a running task.
type TaskState struct {
	// Name is the task with its current activity.
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
	Parts   []Part    `json:"parts,omitempty"`
}

// State returns the running tasks, of which the last was updated last.
func (r *Reporter) State() State {
	if r == nil || r.out == nil {
		return State{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := State{Left: r.estimate.left()}
	for _, t := range r.running {
		s.Tasks = append(s.Tasks, TaskState{t.text(), t.started, slices.Clone(t.parts)})
	}
	return s
}
