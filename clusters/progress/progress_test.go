// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
)

// shared is a buffer that the reporter writes to while a test reads it.
type shared struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func (s *shared) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf.Reset()
}

func TestTaskWritesALineAtItsStartAndEnd(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*Task)
		want string
	}{
		"without a result": {func(t *Task) { t.Done("") }, ` ✓ load c.tar \(0s\)`},
		"with a result":    {func(t *Task) { t.Done("two images") }, ` ✓ load c.tar: two images \(0s\)`},
		"failed":           {func(t *Task) { _ = t.Fail(errors.New("no space")) }, ` ✗ load c.tar: failed \(0s\)`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.end(New(&out).Task("load %s", "c.tar"))
			NewWithT(t).Expect(out.String()).To(MatchRegexp(`^ • load c.tar ...\n` + test.want + `\n$`))
		})
	}
}

func TestFailReturnsTheError(t *testing.T) {
	var silent *Reporter
	err := errors.New("no space")
	NewWithT(t).Expect(silent.Task("load").Fail(err)).To(BeIdenticalTo(err))
}

func TestUpdateWritesToAFileOncePerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		task := New(&out).Task("build")
		out.Reset()
		task.Update("1 package")
		g.Expect(out.String()).To(BeEmpty(), "before the interval has passed")
		<-time.After(quiet - time.Second)
		task.Update("200 packages")
		<-time.After(time.Second + time.Millisecond)
		synctest.Wait()
		g.Expect(out.String()).To(Equal("   build: 200 packages (20s)\n"), "without a further update")
		task.Update("201 packages")
		g.Expect(out.String()).To(Equal("   build: 200 packages (20s)\n"), "once in 20 seconds")
		task.Done("")
	})
}

func TestFileShowsAllRunningTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r := New(&out)
		one, two := r.Task("one"), r.Task("two")
		one.Update("at work with %s", strings.Repeat("long words ", 20))
		out.Reset()
		<-time.After(quiet + time.Millisecond)
		synctest.Wait()
		g.Expect(out.String()).To(MatchRegexp(`^   two; one: at work with long words .{50,60}\.\.\. \(20s\)\n$`))
		one.Done("")
		two.Done("")
		<-time.After(time.Minute)
		out.Reset()
		<-time.After(time.Minute)
		g.Expect(out.String()).To(BeEmpty(), "no task runs")
	})
}

func TestTerminalShowsElapsedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r := &Reporter{out: &out, tty: true}
		task := r.Task("link %s", strings.Repeat("x", 100))
		out.Reset()
		<-time.After(time.Second + time.Millisecond)
		synctest.Wait()
		g.Expect(out.String()).To(Equal("\r\x1b[K   link "+strings.Repeat("x", 63)+"... (1s)"), "in one line, with the time")
		task.Done("")
	})
}

func TestTerminalLineIsRewrittenInPlace(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	r := &Reporter{out: &out, tty: true}
	task := r.Task("build")
	task.Update("1 package")
	task.Update("2 packages")
	r.Printf("cluster %s", "c")
	task.Done("")
	r.Printf("the end")
	const again = "\r\x1b[K"
	g.Expect(out.String()).To(Equal(again+" • build ..."+again+"   build: 1 package (0s)"+again+"   build: 2 packages (0s)"+
		again+"cluster c\n"+again+"   build: 2 packages (0s)"+again+" ✓ build (0s)\n"+again+"the end\n"), "the task stays below the lines")
}

// What runs in a task is below it on a terminal, with its own duration.
func TestTerminalShowsWhatRunsInATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r := &Reporter{out: &out, tty: true}
		task := r.Task("specs")
		task.Begin("one")
		<-time.After(2500 * time.Millisecond)
		out.Reset()
		task.Begin("two")
		g.Expect(out.String()).To(Equal("\r\x1b[1A\x1b[J   specs (2.5s)\n     one (2.5s)\n     two (0s)"))
		out.Reset()
		task.End("one")
		g.Expect(out.String()).To(Equal("\r\x1b[2A\x1b[J   specs (2.5s)\n     two (0s)"))
		out.Reset()
		r.Printf("one passed")
		g.Expect(out.String()).To(Equal("\r\x1b[1A\x1b[Jone passed\n\r\x1b[K   specs (2.5s)\n     two (0s)"))
		for range maxParts + 1 {
			task.Begin("more")
		}
		g.Expect(out.String()).To(HaveSuffix("\n     more (0s)\n     and 2 more"))
		out.Reset()
		task.Done("")
		g.Expect(out.String()).To(MatchRegexp("^\r\x1b\\[9A\x1b\\[J ✓ specs \\(2.5s\\)\n$"), "nothing of it remains")
	})
}

// Other outputs get lines, without control sequences.
func TestFileShowsWhatRunsInATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r := New(&out)
		began := time.Now()
		task := r.Task("specs")
		task.Begin("one")
		<-time.After(5 * time.Second)
		task.Begin("two")
		task.Update("7 of 9 finished")
		out.Reset()
		<-time.After(quiet)
		synctest.Wait()
		g.Expect(out.String()).To(Equal("   specs: 7 of 9 finished, now one (20s), two (15s) (20s)\n"))
		g.Expect(r.State()).To(Equal(State{Tasks: []TaskState{{
			Name: "specs: 7 of 9 finished", Started: began, Parts: []Part{{"one", began}, {"two", began.Add(5 * time.Second)}},
		}}}))
		task.Done("")
		g.Expect(r.State()).To(Equal(State{}))
	})
}

func TestReporterWithoutOutputWritesNothing(t *testing.T) {
	for name, r := range map[string]*Reporter{"nil": nil, "the zero value": {}} {
		t.Run(name, func(t *testing.T) {
			r.Printf("line")
			task := r.Task("build")
			task.Begin("part")
			task.Update("more")
			task.End("part")
			task.Done("done")
			NewWithT(t).Expect(r.State()).To(Equal(State{}))
			NewWithT(t).Expect(task.Elapsed()).To(BeNumerically("<", time.Minute))
		})
	}
}

func TestRound(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Millisecond:                "1.2s",
		49 * time.Millisecond:                  "0s",
		59940 * time.Millisecond:               "59.9s",
		59960 * time.Millisecond:               "1m0s",
		time.Minute + 400*time.Millisecond:     "1m0s",
		12*time.Minute + 1500*time.Millisecond: "12m2s",
	} {
		NewWithT(t).Expect(Round(d).String()).To(Equal(want), d.String())
	}
}

// TestConcurrentTasksKeepTheirLastLines runs several tasks on a terminal. The last line of each must not be
// overwritten by another task.
func TestConcurrentTasksKeepTheirLastLines(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	r := &Reporter{out: &out, tty: true}
	const tasks, updates = 8, 200
	var all sync.WaitGroup
	for i := range tasks {
		all.Go(func() {
			for j := range updates {
				task := r.Task("task %d-%d", i, j)
				task.Update("at work")
				task.Done("")
				r.Printf("line %d-%d", i, j)
			}
		})
	}
	all.Wait()
	var kept int
	for line := range strings.Lines(out.String()) {
		shown := line[strings.LastIndex(line, "K")+1:]
		if strings.Contains(shown, "✓") || strings.HasPrefix(shown, "line") {
			kept++
		}
	}
	g.Expect(kept).To(Equal(2 * tasks * updates))
}

func TestReporterWritesNoEscapeSequencesToAPipe(t *testing.T) {
	g := NewWithT(t)
	r, w, err := os.Pipe()
	g.Expect(err).NotTo(HaveOccurred())
	New(w).Task("build").Done("")
	g.Expect(w.Close()).To(Succeed())
	content, err := io.ReadAll(r)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(Equal(" • build ...\n ✓ build (0s)\n"), "without escape sequences")
}

func TestFinishedTaskWritesNothing(t *testing.T) {
	for name, tty := range map[string]bool{"a terminal": true, "a file": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				var out shared
				r := &Reporter{out: &out, tty: tty}
				task := r.Task("build")
				task.Done("")
				<-time.After(time.Minute)
				out.Reset()
				task.Update("late")
				task.Done("again")
				g.Expect(out.String()).To(BeEmpty())
			})
		})
	}
}
