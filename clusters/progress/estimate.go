package progress

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Goal is a result that a user waits for. It consists of the parts of the job
// that lead to it and are not listed for an earlier goal.
type Goal struct {
	// What names the goal. It follows the word "until", for example "the
	// verdict".
	What  string
	Parts []Part
}

// Part is a part of a job, repeated Times times. Name is its name in
// usual.json. A Times of 0 means once.
type Part struct {
	Name  string
	Times int
}

// usualJSON holds the durations of parts of a job on a machine with two cores,
// as measured by "make bench-cold". For parts that report a count, it also
// holds the final count.
//
//go:embed usual.json
var usualJSON []byte

type usual struct {
	Seconds float64 `json:"seconds"`
	Count   int     `json:"count"`
}

// estimate estimates the remaining time of a job. A nil estimate returns no
// estimates.
type estimate struct {
	goals []Goal
	parts map[string]*share
	// pace is the factor by which parts take longer than usual on this machine.
	// Until enough has been measured, it is the pace of earlier jobs.
	pace float64
	// file stores the pace for later jobs.
	file string
}

// share is the progress of a part.
type share struct {
	usual    time.Duration
	total    int  // the final count, 0 if the part reports no count
	learnt   bool // whether the part is used to measure the pace
	done     float64
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
	e := &estimate{goals: goals, parts: map[string]*share{}, pace: readPace(file), file: file}
	for _, g := range goals {
		for _, s := range g.Parts {
			u, times := known[s.Name], max(1, s.Times)
			e.parts[s.Name] = &share{usual: time.Duration(u.Seconds * float64(times) * float64(time.Second)), total: max(u.Count, s.Times), learnt: u.Count > 0}
		}
	}
	return e
}

// Drop removes parts that are not needed from the estimate.
func (r *Reporter) Drop(parts ...string) {
	if r == nil || r.out == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, part := range parts {
		r.estimate.end(part, false)
	}
}

func (e *estimate) begin(part string, at time.Time) {
	if p := e.part(part); p != nil && p.started.IsZero() {
		p.started = at
	}
}

func (e *estimate) count(part string, n int) {
	if p := e.part(part); p != nil && p.total > 0 {
		if p.done == 0 {
			p.started = time.Now() // before the first count the part was queued
		}
		// If the build caches are not empty, the final count is lower than usual.
		p.done = min(0.95, float64(n)/float64(p.total))
	}
}

func (e *estimate) end(part string, well bool) {
	p := e.part(part)
	if p == nil || p.finished {
		return
	}
	p.finished = true
	if !p.started.IsZero() {
		p.took = time.Since(p.started)
	}
	if well && p.learnt && p.done > 0.9 {
		writePace(e.file, e.current())
	}
}

func (e *estimate) part(name string) *share {
	if e == nil {
		return nil
	}
	return e.parts[name]
}

// current returns the pace measured from the parts that report a count.
func (e *estimate) current() float64 {
	took, usually := e.pace*trusted.Seconds(), trusted.Seconds()
	for _, p := range e.parts {
		if p.total == 0 || p.done == 0 {
			continue
		}
		elapsed := p.took
		if !p.finished {
			elapsed = time.Since(p.started)
		}
		took += elapsed.Seconds()
		usually += p.usual.Seconds() * p.done
	}
	return took / usually
}

// left returns the estimated time until the next goal.
func (e *estimate) left() string {
	if e == nil {
		return ""
	}
	next := 0
	for i, g := range e.goals {
		// Earlier goals are reached, even if some of their parts were not needed.
		if e.some(g, func(p *share) bool { return !p.started.IsZero() }) {
			next = i
		}
	}
	for next < len(e.goals) && !e.some(e.goals[next], func(p *share) bool { return !p.finished }) {
		next++
	}
	return e.until(e.goals[next:min(next+1, len(e.goals))])
}

// some reports whether a condition holds for a part of a goal.
func (e *estimate) some(g Goal, holds func(*share) bool) bool {
	return slices.ContainsFunc(g.Parts, func(p Part) bool { return holds(e.parts[p.Name]) })
}

// until returns the estimated times until each unfinished goal of the given ones.
func (e *estimate) until(goals []Goal) string {
	pace := e.current()
	var sum time.Duration
	var all []string
	for _, g := range goals {
		open := false
		for _, s := range g.Parts {
			p := e.parts[s.Name]
			open = open || !p.finished
			sum += p.rest(pace)
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

// rest returns the remaining time of a part.
func (p *share) rest(pace float64) time.Duration {
	if p.finished {
		return 0
	}
	whole := time.Duration(float64(p.usual) * pace)
	if p.total > 0 || p.started.IsZero() {
		return time.Duration(float64(whole) * (1 - p.done))
	}
	return max(0, whole-time.Since(p.started))
}

// about rounds a duration to the precision of an estimate.
func about(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("%d s", max(5, 5*int((d+2500*time.Millisecond)/(5*time.Second))))
	}
	return fmt.Sprintf("%d min", int((d+30*time.Second)/time.Minute))
}

// paceFile returns the path of the file that stores the pace of this machine.
// It is empty if there is no user cache folder.
func paceFile() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "draconform", "pace")
}

// readPace reads the pace of earlier jobs. It returns 1 if there is none.
func readPace(file string) float64 {
	content, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return 1
	}
	pace, err := strconv.ParseFloat(strings.TrimSpace(string(content)), 64)
	if err != nil || !(pace > 0.05 && pace < 50) { // false for NaN, too
		return 1
	}
	return pace
}

// writePace stores a pace. Errors are ignored: the pace only improves
// estimates.
func writePace(file string, pace float64) {
	if file == "" || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	_ = os.WriteFile(file, strconv.AppendFloat(nil, pace, 'f', 2, 64), 0o644)
}
