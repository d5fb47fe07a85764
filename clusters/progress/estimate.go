package progress

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Goal is what a user waits for, and the parts of the job that lead there and have
// not been listed for an earlier goal.
type Goal struct {
	// What the goal is, as it follows "until", for example "the verdict".
	What  string
	Parts []Part
}

// Part is a part of a job, by its name in usual.json, so many times; 0 is once.
type Part struct {
	Name  string
	Times int
}

// usual is how long parts of a job take on a machine with two cores, as "make
// bench-cold" measures it, and how far they count if they do.
//
//go:embed usual.json
var usualJSON []byte

type usual struct {
	Seconds float64 `json:"seconds"`
	Count   int     `json:"count"`
}

// estimate tells how long a job still takes. A nil estimate knows nothing.
type estimate struct {
	goals []Goal
	parts map[string]*share
	// pace is how much longer than usual parts take here; it is what was learned
	// before until enough has been seen.
	pace float64
	// file keeps the pace for the next time.
	file string
}

// share is how far a part is.
type share struct {
	usual    time.Duration
	total    int  // what its count goes up to, 0 if it does not count
	learnt   bool // tells the pace of the machine
	done     float64
	started  time.Time
	took     time.Duration
	finished bool
}

// trusted is the usual time that the pace of before weighs.
const trusted = 20 * time.Second

// Expect tells a user how long a job takes, and has the reporter say so with its
// progress from then on. Goals are in the order in which they are reached.
func (r *Reporter) Expect(goals ...Goal) {
	if r == nil || r.out == nil {
		return
	}
	e := newEstimate(goals, paceFile())
	r.mu.Lock()
	r.estimate = e
	first := e.until(len(goals))
	r.mu.Unlock()
	r.Printf("   %s", first)
}

func newEstimate(goals []Goal, file string) *estimate {
	var known map[string]usual
	if err := json.Unmarshal(usualJSON, &known); err != nil {
		panic(err) // embedded
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

// Drop says that parts turned out not to be needed.
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
			p.started = time.Now() // until then it waited for its turn
		}
		// What is compiled from caches that are not empty is less than usual.
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

// current is the pace by what has been seen of parts that tell how far they are.
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

// left is how long it takes until the next goal.
func (e *estimate) left() string {
	if e == nil {
		return ""
	}
	for i, g := range e.goals {
		for _, s := range g.Parts {
			if !e.parts[s.Name].finished {
				return e.until(i + 1)
			}
		}
	}
	return ""
}

// until says how long it takes to the next of the first n goals, and the ones
// after it.
func (e *estimate) until(n int) string {
	pace := e.current()
	var sum time.Duration
	var all []string
	for _, g := range e.goals[:n] {
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

// rest is how long a part still takes.
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

// about rounds a duration to what an estimate is worth.
func about(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("%d s", max(5, 5*int((d+2500*time.Millisecond)/(5*time.Second))))
	}
	return fmt.Sprintf("%d min", int((d+30*time.Second)/time.Minute))
}

// paceFile is where this machine's pace is kept; empty if there is no such place.
func paceFile() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "draconform", "pace")
}

// readPace reads what was learned before; nothing is as usual.
func readPace(file string) float64 {
	content, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return 1
	}
	pace, err := strconv.ParseFloat(strings.TrimSpace(string(content)), 64)
	if err != nil || !(pace > 0.05 && pace < 50) { // or no number at all
		return 1
	}
	return pace
}

// writePace keeps a pace. That it cannot be kept does no harm.
func writePace(file string, pace float64) {
	if file == "" || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	_ = os.WriteFile(file, strconv.AppendFloat(nil, pace, 'f', 2, 64), 0o644)
}
