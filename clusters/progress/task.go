// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"fmt"
	"slices"
	"time"
)

// Task is a task of a job, which is reported from its start to its end.
type Task struct {
	reporter *Reporter
	expected string // name of the [ExpectedTask], empty if there is none
	name     string
	started  time.Time
	activity string
	parts    parts
}

// Counted is an argument of [Task.Update] that reports the amount of finished
// work. The unit depends on the task.
type Counted interface{ Count() int }

// Task starts a task. The caller ends it with exactly one call of [Task.Done]
// or [Task.Fail].
func (r *Reporter) Task(format string, args ...any) *Task {
	return r.TaskOf("", format, args...)
}

// TaskOf starts a task that is expected under the given name, see
// [Reporter.Expect].
func (r *Reporter) TaskOf(expected, format string, args ...any) *Task {
	t := &Task{reporter: r, expected: expected, name: fmt.Sprintf(format, args...), started: time.Now()}
	if r == nil || r.out == nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.estimate.begin(expected, t.started)
	r.running = append(r.running, t)
	if start := fmt.Sprintf(" • %s ...", t.name); r.tty {
		r.show([]string{start})
	} else {
		r.print(start)
	}
	if r.idle == nil {
		r.idle = make(chan struct{})
		go r.tick(r.idle)
	}
	return t
}

// maxActivity is the maximum length of the shown activity of a task, in
// characters.
const maxActivity = 80

// Update sets the current activity of the task.
func (t *Task) Update(format string, args ...any) {
	r := t.reporter
	if r == nil || r.out == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.activity = cut(fmt.Sprintf(format, args...), maxActivity)
	for _, a := range args {
		if counted, ok := a.(Counted); ok {
			r.estimate.count(t.expected, counted.Count())
		}
	}
	if i := slices.Index(r.running, t); i >= 0 { // otherwise the task has ended
		r.running = append(slices.Delete(r.running, i, i+1), t)
		r.update()
	}
}

// Done ends the task successfully. It writes the result, unless it is empty,
// and the duration.
func (t *Task) Done(result string) {
	t.end("✓", result)
}

// Fail ends the task as failed and returns err for the caller to return.
func (t *Task) Fail(err error) error {
	t.end("✗", "failed")
	return err
}

func (t *Task) end(mark, result string) {
	r := t.reporter
	if r == nil || r.out == nil {
		return
	}
	if result != "" {
		result = ": " + result
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.running, t)
	if i < 0 {
		return // it has ended before
	}
	r.running = slices.Delete(r.running, i, i+1)
	if len(r.running) == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
	r.estimate.end(t.expected, mark == "✓")
	r.print(fmt.Sprintf(" %s %s%s (%s)", mark, t.name, result, t.Elapsed()))
}

// text returns the task with its current activity.
func (t *Task) text() string {
	if t.activity == "" {
		return t.name
	}
	return t.name + ": " + t.activity
}

// Elapsed returns the rounded duration since the start of the task.
func (t *Task) Elapsed() time.Duration {
	return Round(time.Since(t.started))
}

// Round rounds a duration for display: to tenths of a second below a minute, to
// seconds above.
func Round(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
