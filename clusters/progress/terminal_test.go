// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
)

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
