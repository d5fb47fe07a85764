// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Goal is a result that a user waits for.
type Goal struct {
	// What names the goal. It follows the word "until", for example "the
	// verdict".
	What string
	// Tasks are the tasks that lead to the goal, without those of earlier
	// goals.
	Tasks []ExpectedTask
}

// ExpectedTask is a task that a job will run.
type ExpectedTask struct {
	// Name is the name of the task in usual.json.
	Name string
	// Times is how often the task runs. Default: once.
	Times int
}

// usualJSON holds the durations of tasks on a machine with two cores, as
// measured by "make bench-cold". For tasks that report a count, it also holds
// the final count. Tasks that mostly wait for others do not take longer on a
// slower machine in proportion.
//
//go:embed usual.json
var usualJSON []byte

type usual struct {
	Seconds float64 `json:"seconds"`
	Count   int     `json:"count"`
	Waits   bool    `json:"waits"`
}

// estimate estimates the remaining time of a job. A nil estimate returns no
// estimates.
type estimate struct {
	goals []Goal
	tasks map[string]*expected
	// pace is the factor by which tasks take longer than usual on this machine.
	// Until enough has been measured, it is the pace of earlier jobs.
	pace float64
	// file stores the pace for later jobs.
	file string
}

// expected is the state of an expected task.
type expected struct {
	usual    time.Duration
	total    int     // the final count, 0 if the task reports no count
	measured bool    // whether the task is used to measure the pace
	waits    bool    // whether its pace is its own
	done     float64 // between 0 and 1
	started  time.Time
	took     time.Duration
	finished bool
}

// trusted is the weight of the pace of earlier jobs, as usual time.
const trusted = 20 * time.Second

// Expect sets the goals of a job in the order in which they are reached. It
// writes the estimated times. From then on the reporter adds the remaining time
// to its progress.
func (r *Reporter) Expect(goals ...Goal) {
	if r == nil || r.out == nil {
		return
	}
	e := newEstimate(goals, paceFile())
	r.mu.Lock()
	r.estimate = e
	first := e.until(goals)
	r.mu.Unlock()
	r.Printf("   %s", first)
}

func newEstimate(goals []Goal, file string) *estimate {
	var known map[string]usual
	if err := json.Unmarshal(usualJSON, &known); err != nil {
		panic(err) // embedded, so it is always valid
	}
	e := &estimate{goals: goals, tasks: map[string]*expected{}, pace: readPace(file), file: file}
	for _, g := range goals {
		for _, t := range g.Tasks {
			u, times := known[t.Name], max(1, t.Times)
			e.tasks[t.Name] = &expected{usual: time.Duration(u.Seconds * float64(times) * float64(time.Second)), total: max(u.Count, t.Times), measured: u.Count > 0, waits: u.Waits}
		}
	}
	return e
}

// Drop removes tasks that are not needed from the estimate.
func (r *Reporter) Drop(names ...string) {
	if r == nil || r.out == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		r.estimate.end(name, false)
	}
}

func (e *estimate) begin(name string, at time.Time) {
	if t := e.task(name); t != nil && t.started.IsZero() {
		t.started = at
	}
}

func (e *estimate) count(name string, n int) {
	if t := e.task(name); t != nil && t.total > 0 {
		if t.done == 0 {
			t.started = time.Now() // before the first count the task was queued
		}
		// If the build caches are not empty, the final count is lower than usual.
		t.done = min(0.95, float64(n)/float64(t.total))
	}
}

func (e *estimate) end(name string, succeeded bool) {
	t := e.task(name)
	if t == nil || t.finished {
		return
	}
	t.finished = true
	if !t.started.IsZero() {
		t.took = time.Since(t.started)
	}
	if succeeded && t.measured && t.done > 0.9 {
		writePace(e.file, e.current())
	}
}

func (e *estimate) task(name string) *expected {
	if e == nil {
		return nil
	}
	return e.tasks[name]
}

// current returns the pace measured from the tasks that report a count.
func (e *estimate) current() float64 {
	took, usually := e.pace*trusted.Seconds(), trusted.Seconds()
	for _, t := range e.tasks {
		if t.total == 0 || t.done == 0 || t.waits {
			continue
		}
		took += t.elapsed().Seconds()
		usually += t.usual.Seconds() * t.done
	}
	return took / usually
}

// elapsed returns how long a task that has started runs, or ran.
func (t *expected) elapsed() time.Duration {
	if t.finished {
		return t.took
	}
	return time.Since(t.started)
}

// own returns the pace measured from the task alone.
func (t *expected) own() float64 {
	if t.done == 0 {
		return 1
	}
	return (trusted + t.elapsed()).Seconds() / (trusted.Seconds() + t.usual.Seconds()*t.done)
}

// left returns the estimated time until the next goal.
func (e *estimate) left() string {
	if e == nil {
		return ""
	}
	next := 0
	for i, g := range e.goals {
		// Earlier goals are reached, even if some of their tasks were not needed.
		if e.some(g, func(t *expected) bool { return !t.started.IsZero() }) {
			next = i
		}
	}
	for next < len(e.goals) && !e.some(e.goals[next], func(t *expected) bool { return !t.finished }) {
		next++
	}
	return e.until(e.goals[next:min(next+1, len(e.goals))])
}

// some reports whether a condition holds for a task of a goal.
func (e *estimate) some(g Goal, holds func(*expected) bool) bool {
	return slices.ContainsFunc(g.Tasks, func(t ExpectedTask) bool { return holds(e.tasks[t.Name]) })
}

// until returns the estimated times until each unfinished goal of the given ones.
func (e *estimate) until(goals []Goal) string {
	pace := e.current()
	var sum time.Duration
	var all []string
	for _, g := range goals {
		open := false
		for _, s := range g.Tasks {
			t := e.tasks[s.Name]
			open = open || !t.finished
			sum += t.rest(pace)
		}
		if open {
			all = append(all, about(sum)+" until "+g.What)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "about " + strings.Join(all, ", ")
}

// rest returns the remaining time of a task, given the pace of tasks that do not
// wait.
func (t *expected) rest(pace float64) time.Duration {
	if t.finished {
		return 0
	}
	if t.waits {
		pace = t.own()
	}
	whole := time.Duration(float64(t.usual) * pace)
	if t.total > 0 || t.started.IsZero() {
		return time.Duration(float64(whole) * (1 - t.done))
	}
	return max(0, whole-time.Since(t.started))
}

// about rounds a duration to the precision of an estimate.
func about(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("%d s", max(5, 5*int((d+2500*time.Millisecond)/(5*time.Second))))
	}
	return fmt.Sprintf("%d min", int((d+30*time.Second)/time.Minute))
}
