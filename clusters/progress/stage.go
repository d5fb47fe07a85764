package progress

import (
	"fmt"
	"slices"
	"time"
)

// Stage is one stage of a job.
type Stage struct {
	reporter *Reporter
	part     string // name of the part in the estimate, empty if it has none
	name     string
	started  time.Time
	doing    string
}

// Counted is an argument of [Stage.Update] that reports the amount of finished
// work. The unit depends on the stage.
type Counted interface{ Count() int }

// Stage starts a stage. The caller ends it with exactly one call of
// [Stage.Done] or [Stage.Fail].
func (r *Reporter) Stage(format string, args ...any) *Stage {
	return r.StageOf("", format, args...)
}

// StageOf starts a stage that is a part of a goal of [Reporter.Expect].
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

// maxDoing is the maximum length of the shown activity of a stage, in
// characters.
const maxDoing = 80

// Update sets the current activity of the stage.
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
	i := slices.Index(r.running, s)
	if i < 0 {
		return // the stage has ended
	}
	r.running = append(slices.Delete(r.running, i, i+1), s)
	if r.tty || time.Since(r.spoke) >= quiet {
		r.write(r.state(), false)
	}
}

// Done ends the stage successfully. It writes the result, unless it is empty,
// and the duration.
func (s *Stage) Done(result string) {
	s.end("✓", result)
}

// Fail ends the stage as failed and returns err for the caller to return.
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
	i := slices.Index(r.running, s)
	if i < 0 {
		return // it has ended before
	}
	r.running = slices.Delete(r.running, i, i+1)
	if len(r.running) == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
	r.estimate.end(s.part, mark == "✓")
	r.write(fmt.Sprintf(" %s %s%s (%s)", mark, s.name, result, s.Elapsed()), true)
}

// Elapsed returns the rounded duration since the start of the stage.
func (s *Stage) Elapsed() time.Duration {
	return Round(time.Since(s.started))
}

// Round rounds a duration for display: to tenths of a second below a minute, to
// seconds above.
func Round(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
