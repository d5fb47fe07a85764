// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"bytes"
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
