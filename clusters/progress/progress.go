// Package progress tells a user which stages of a long job run, what they are
// doing, how long they took, and about how long the rest takes. It needs the
// standard library only, as what a bare machine compiles first reports with it.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// quiet is how long a reporter that writes to something else than a terminal
// waits before it says again what goes on.
const quiet = 20 * time.Second

// Reporter writes stages to one output. The zero value and nil write nothing.
// It is safe for concurrent use; of stages that overlap, the one that was
// updated last shows on a terminal.
type Reporter struct {
	mu       sync.Mutex
	out      io.Writer
	tty      bool
	line     bool          // the cursor stands behind an unfinished line
	spoke    time.Time     // when the last line was written
	running  []*Stage      // the one that was updated last is the last
	idle     chan struct{} // closed when no stage runs any more, nil while none does
	estimate *estimate     // nil if nothing is known
}

// New returns a reporter that writes to out. On a terminal the line of the
// running stage is rewritten in place; elsewhere a line appears each 20 seconds.
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
	r.spoke = time.Now()
}

// write writes a line, cut to the width of a terminal, where it stays open to be
// rewritten unless it is the last one of its stage.
func (r *Reporter) write(text string, last bool) {
	r.spoke = time.Now()
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

// tick shows what goes on once a second on a terminal, and elsewhere when nothing
// has been written for a while. It ends when no stage runs.
func (r *Reporter) tick(idle <-chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-idle:
			return
		case <-t.C:
			r.beat()
		}
	}
}

func (r *Reporter) beat() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.running) > 0 && (r.tty || time.Since(r.spoke) >= quiet) {
		r.write(r.state(), false)
	}
}

// state is what goes on: on a terminal the stage that was updated last, elsewhere
// all of them.
func (r *Reporter) state() string {
	shown := r.running
	if r.tty {
		shown = shown[len(shown)-1:]
	}
	var all []string
	for _, s := range shown {
		text := s.name
		if s.doing != "" {
			text += ": " + s.doing
		}
		all = append(all, text)
	}
	times := shown[len(shown)-1].Elapsed().String()
	if left := r.estimate.left(); left != "" {
		times += ", " + left
	}
	return "   " + strings.Join(all, "; ") + " (" + times + ")"
}

// cut shortens a text to so many characters.
func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n && n > 3 {
		return string(runes[:n-3]) + "..."
	}
	return text
}
