// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package progress reports the running tasks of a long job to a user: their
// current activity, their duration and an estimate of the remaining time. It
// only needs the standard library, because the first program that a new machine
// compiles uses it.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// quiet is the interval at which a reporter repeats the running tasks if its
// output is not a terminal.
const quiet = 20 * time.Second

// Reporter writes tasks to one output. The zero value and nil write nothing.
// It is safe for concurrent use. If tasks overlap, a terminal shows the one
// that was updated last.
type Reporter struct {
	mu       sync.Mutex
	out      io.Writer
	tty      bool
	open     int           // lines of a terminal that are rewritten in place, the cursor is at the end of the last
	written  time.Time     // time of the last written line
	running  []*Task       // the most recently updated one is last
	idle     chan struct{} // closed when the last running task ends, nil while no task runs
	estimate *estimate     // nil without Expect
}

// New returns a reporter that writes to out. On a terminal it rewrites the lines
// of the running task in place. On other outputs it writes a line every 20
// seconds.
func New(out io.Writer) *Reporter {
	r := &Reporter{out: out}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		r.tty = err == nil && info.Mode()&os.ModeCharDevice != 0 // a terminal or the null device
	}
	return r
}

// Printf writes a line between tasks.
func (r *Reporter) Printf(format string, args ...any) {
	if r == nil || r.out == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.print(fmt.Sprintf(format, args...))
}

// print writes text that stays. On a terminal, the running task is shown below.
func (r *Reporter) print(text string) {
	r.written = time.Now()
	_, _ = fmt.Fprintf(r.out, "%s%s\n", r.erase(), text)
	if r.tty && len(r.running) > 0 {
		r.show(r.block())
	}
}

// show shows lines that are rewritten in place, cut to the width of the
// terminal.
func (r *Reporter) show(lines []string) {
	r.written = time.Now()
	short := make([]string, len(lines))
	for i, line := range lines {
		short[i] = cut(line, width(r.out)-1)
	}
	_, _ = fmt.Fprint(r.out, r.erase()+strings.Join(short, "\n"))
	r.open = len(lines)
}

// erase returns the control sequence that erases the lines that are rewritten in
// place, and moves the cursor to where they began.
func (r *Reporter) erase() string {
	n := r.open
	r.open = 0
	switch {
	case !r.tty:
		return ""
	case n > 1:
		return fmt.Sprintf("\r\x1b[%dA\x1b[J", n-1)
	}
	return "\r\x1b[K"
}

// tick shows the running tasks once a second on a terminal. On other outputs
// it shows them when nothing has been written for the quiet interval. It
// returns when no task runs.
func (r *Reporter) tick(idle <-chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-idle:
			return
		case <-t.C:
			r.refresh()
		}
	}
}

func (r *Reporter) refresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.update()
}

// update shows the running tasks, on other outputs than a terminal only after
// the quiet interval.
func (r *Reporter) update() {
	switch {
	case len(r.running) == 0:
	case r.tty:
		r.show(r.block())
	case time.Since(r.written) >= quiet:
		r.print(r.line())
	}
}

// block returns the lines of a terminal for the task that was updated last: the
// task, and what runs in it.
func (r *Reporter) block() []string {
	t := r.running[len(r.running)-1]
	times := r.times(t)
	lines := []string{cut("   "+t.text(), width(r.out)-1-len([]rune(times))) + times} // the times are what changes
	for i, p := range t.parts {
		if i == maxParts {
			lines = append(lines, fmt.Sprintf("     and %d more", len(t.parts)-maxParts))
			break
		}
		lines = append(lines, "     "+p.text())
	}
	return lines
}

// line returns the line of other outputs for all running tasks.
func (r *Reporter) line() string {
	var all []string
	for _, t := range r.running {
		text := t.text()
		if len(t.parts) > 0 {
			text += ", now " + t.parts.text()
		}
		all = append(all, text)
	}
	return "   " + strings.Join(all, "; ") + r.times(r.running[len(r.running)-1])
}

// times returns the duration of a task and the estimate of the remaining time.
func (r *Reporter) times(t *Task) string {
	times := t.Elapsed().String()
	if left := r.estimate.left(); left != "" {
		times += ", " + left
	}
	return " (" + times + ")"
}

// cut shortens a text to n characters.
func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n && n > 3 {
		return string(runes[:n-3]) + "..."
	}
	return text
}
