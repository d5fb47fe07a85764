// Package progress tells a user which stage of a long job runs, what it is
// doing and how long it took. It needs the standard library only, as what a bare
// machine compiles first reports with it.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// quiet is how long a stage that writes to something else than a terminal
// waits between two lines about what it is doing.
const quiet = 20 * time.Second

// Reporter writes stages to one output. The zero value and nil write nothing.
// It is safe for concurrent use; of stages that overlap, the one that was
// updated last shows on a terminal.
type Reporter struct {
	mu   sync.Mutex
	out  io.Writer
	tty  bool
	line bool // the cursor stands behind an unfinished line
}

// New returns a reporter that writes to out. On a terminal the line of the
// running stage is rewritten in place; elsewhere it appears again at most every
// 20 seconds.
func New(out io.Writer) *Reporter {
	r := &Reporter{out: out}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		r.tty = err == nil && info.Mode()&os.ModeCharDevice != 0 // a terminal, or the null device
	}
	return r
}

// Printf writes a line between stages.
func (r *Reporter) Printf(format string, args ...any) {
	if r == nil || r.out == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endLine()
	_, _ = fmt.Fprintf(r.out, format+"\n", args...)
}

// Stage starts a stage. It ends with exactly one of [Stage.Done] and
// [Stage.Fail].
func (r *Reporter) Stage(format string, args ...any) *Stage {
	now := time.Now()
	s := &Stage{reporter: r, name: fmt.Sprintf(format, args...), started: now, spoke: now}
	s.show(fmt.Sprintf(" • %s ...", s.name), false)
	return s
}

// Stage is one step of a job.
type Stage struct {
	reporter *Reporter
	name     string
	started  time.Time

	mu    sync.Mutex
	spoke time.Time
}

// Update says what the stage is doing right now.
func (s *Stage) Update(format string, args ...any) {
	r := s.reporter
	if r == nil || r.out == nil {
		return
	}
	s.mu.Lock()
	silent := time.Since(s.spoke) < quiet
	if !silent || r.tty {
		s.spoke = time.Now()
	}
	s.mu.Unlock()
	if silent && !r.tty {
		return
	}
	s.show(fmt.Sprintf("   %s: %s (%s)", s.name, fmt.Sprintf(format, args...), s.Elapsed()), false)
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

func (s *Stage) end(mark, result string) {
	if result != "" {
		result = ": " + result
	}
	s.show(fmt.Sprintf(" %s %s%s (%s)", mark, s.name, result, s.Elapsed()), true)
}

// show writes one line; on a terminal it stays open to be rewritten, unless it
// is the last one.
func (s *Stage) show(text string, last bool) {
	r := s.reporter
	if r == nil || r.out == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tty {
		_, _ = fmt.Fprintln(r.out, text)
		return
	}
	_, _ = fmt.Fprintf(r.out, "\r\x1b[K%s", text)
	r.line = true
	if last {
		r.endLine()
	}
}

func (r *Reporter) endLine() {
	if r.line {
		_, _ = fmt.Fprintln(r.out)
		r.line = false
	}
}
