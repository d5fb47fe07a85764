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
	line     bool          // the cursor is at the end of an unfinished line
	written  time.Time     // time of the last written line
	running  []*Task       // the most recently updated one is last
	idle     chan struct{} // closed when the last running task ends, nil while no task runs
	estimate *estimate     // nil without Expect
}

// New returns a reporter that writes to out. On a terminal it rewrites the line
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
	r.endLine()
	_, _ = fmt.Fprintf(r.out, format+"\n", args...)
	r.written = time.Now()
}

// write writes a line. On a terminal, the line is cut to the width of the
// terminal and stays open to be rewritten, unless it is the last line of its
// task.
func (r *Reporter) write(text string, last bool) {
	r.written = time.Now()
	if !r.tty {
		_, _ = fmt.Fprintln(r.out, text)
		return
	}
	if !last {
		text = cut(text, width(r.out)-1)
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
	if len(r.running) > 0 && (r.tty || time.Since(r.written) >= quiet) {
		r.write(r.state(), false)
	}
}

// state describes the running tasks: on a terminal the one that was updated
// last, on other outputs all of them.
func (r *Reporter) state() string {
	shown := r.running
	if r.tty {
		shown = shown[len(shown)-1:]
	}
	var all []string
	for _, t := range shown {
		text := t.name
		if t.activity != "" {
			text += ": " + t.activity
		}
		all = append(all, text)
	}
	times := shown[len(shown)-1].Elapsed().String()
	if left := r.estimate.left(); left != "" {
		times += ", " + left
	}
	times = " (" + times + ")"
	text := "   " + strings.Join(all, "; ")
	if r.tty { // the times are what changes
		text = cut(text, width(r.out)-1-len([]rune(times)))
	}
	return text + times
}

// cut shortens a text to n characters.
func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n && n > 3 {
		return string(runes[:n-3]) + "..."
	}
	return text
}
