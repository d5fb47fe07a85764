package progress

import (
	"fmt"
	"slices"
	"time"
)

// Stage is one step of a job.
type Stage struct {
	reporter *Reporter
	part     string // what the estimate knows it by, empty if it does not
	name     string
	started  time.Time
	doing    string
}

// Counted is an argument of [Stage.Update] that tells how much is done, in units
// of the stage's own.
type Counted interface{ Count() int }

// Stage starts a stage. It ends with exactly one of [Stage.Done] and
// [Stage.Fail].
func (r *Reporter) Stage(format string, args ...any) *Stage {
	return r.StageOf("", format, args...)
}

// StageOf starts a stage that is a part of what [Reporter.Expect] has told.
func (r *Reporter) StageOf(part, format string, args ...any) *Stage {
	s := &Stage{reporter: r, part: part, name: fmt.Sprintf(format, args...), started: time.Now()}
	if r == nil || r.out == nil {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.estimate.begin(part, s.started)
	r.running = append(r.running, s)
	r.write(fmt.Sprintf(" • %s ...", s.name), false)
	if r.idle == nil {
		r.idle = make(chan struct{})
		go r.tick(r.idle)
	}
	return s
}

// maxDoing is how much of what a stage is doing is shown, in characters.
const maxDoing = 80

// Update says what the stage is doing right now.
func (s *Stage) Update(format string, args ...any) {
	r := s.reporter
	if r == nil || r.out == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.doing = cut(fmt.Sprintf(format, args...), maxDoing)
	for _, a := range args {
		if counted, ok := a.(Counted); ok {
			r.estimate.count(s.part, counted.Count())
		}
	}
	if i := slices.Index(r.running, s); i >= 0 {
		r.running = append(slices.Delete(r.running, i, i+1), s)
	}
	if r.tty || time.Since(r.spoke) >= quiet {
		r.write(r.state(), false)
	}
}

// Done ends the stage well; the result, if not empty, is told with the time.
func (s *Stage) Done(result string) {
	s.end("✓", result)
}

// Fail ends the stage badly and returns err for the caller to return.
func (s *Stage) Fail(err error) error {
	s.end("✗", "failed")
	return err
}

func (s *Stage) end(mark, result string) {
	r := s.reporter
	if r == nil || r.out == nil {
		return
	}
	if result != "" {
		result = ": " + result
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.running, s); i >= 0 {
		r.running = slices.Delete(r.running, i, i+1)
	}
	if len(r.running) == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
	r.estimate.end(s.part, mark == "✓")
	r.write(fmt.Sprintf(" %s %s%s (%s)", mark, s.name, result, s.Elapsed()), true)
}

// Elapsed is the stage's age, rounded for people.
func (s *Stage) Elapsed() time.Duration {
	return Round(time.Since(s.started))
}

// Round shortens a duration to what a person reads: tenths of a second below
// a minute, seconds above.
func Round(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
