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

func TestStageWritesALineAtEachEnd(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*Stage)
		want string
	}{
		"without a result": {func(s *Stage) { s.Done("") }, ` ✓ load c.tar \(0s\)`},
		"with a result":    {func(s *Stage) { s.Done("two images") }, ` ✓ load c.tar: two images \(0s\)`},
		"failed":           {func(s *Stage) { _ = s.Fail(errors.New("no space")) }, ` ✗ load c.tar: failed \(0s\)`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.end(New(&out).Stage("load %s", "c.tar"))
			NewWithT(t).Expect(out.String()).To(MatchRegexp(`^ • load c.tar ...\n` + test.want + `\n$`))
		})
	}
}

func TestFailReturnsTheErrorAsItIs(t *testing.T) {
	var silent *Reporter
	err := errors.New("no space")
	NewWithT(t).Expect(silent.Stage("load").Fail(err)).To(BeIdenticalTo(err))
}

func TestUpdateIsQuietInAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		s := New(&out).Stage("build")
		out.Reset()
		s.Update("1 package")
		g.Expect(out.String()).To(BeEmpty(), "so soon after the stage began")
		<-time.After(quiet - time.Second)
		s.Update("200 packages")
		<-time.After(time.Second + time.Millisecond)
		synctest.Wait()
		g.Expect(out.String()).To(Equal("   build: 200 packages (20s)\n"), "without a further update")
		s.Update("201 packages")
		g.Expect(out.String()).To(Equal("   build: 200 packages (20s)\n"), "once in 20 seconds")
		s.Done("")
	})
}

func TestAFileIsToldOfAllStagesThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r := New(&out)
		one, two := r.Stage("one"), r.Stage("two")
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
		g.Expect(out.String()).To(BeEmpty(), "when nothing runs nothing is told")
	})
}

func TestATerminalShowsHowTimePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r := &Reporter{out: &out, tty: true}
		s := r.Stage("link %s", strings.Repeat("x", 100))
		out.Reset()
		<-time.After(time.Second + time.Millisecond)
		synctest.Wait()
		g.Expect(out.String()).To(Equal("\r\x1b[K   link "+strings.Repeat("x", 63)+"... (1s)"), "in one line, with the time")
		s.Done("")
	})
}

func TestTerminalLineIsRewrittenInPlace(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	r := &Reporter{out: &out, tty: true}
	s := r.Stage("build")
	s.Update("1 package")
	s.Update("2 packages")
	r.Printf("cluster %s", "c")
	s.Done("")
	r.Printf("the end")
	const again = "\r\x1b[K"
	g.Expect(out.String()).To(Equal(again + " • build ..." + again + "   build: 1 package (0s)" +
		again + "   build: 2 packages (0s)\ncluster c\n" + again + " ✓ build (0s)\nthe end\n"))
}

func TestNobodyListens(t *testing.T) {
	for name, r := range map[string]*Reporter{"nil": nil, "the zero value": {}} {
		t.Run(name, func(t *testing.T) {
			r.Printf("line")
			s := r.Stage("build")
			s.Update("more")
			s.Done("done")
			NewWithT(t).Expect(s.Elapsed()).To(BeNumerically("<", time.Minute))
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

// TestStagesSideBySideKeepTheirLines runs several stages on a terminal. The last line of each must not be overwritten
// by another stage.
func TestStagesSideBySideKeepTheirLines(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	r := &Reporter{out: &out, tty: true}
	const stages, updates = 8, 200
	var all sync.WaitGroup
	for i := range stages {
		all.Go(func() {
			for j := range updates {
				s := r.Stage("stage %d-%d", i, j)
				s.Update("at work")
				s.Done("")
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
	g.Expect(kept).To(Equal(2 * stages * updates))
}

func TestReporterOfAFileThatIsNoTerminal(t *testing.T) {
	g := NewWithT(t)
	r, w, err := os.Pipe()
	g.Expect(err).NotTo(HaveOccurred())
	New(w).Stage("build").Done("")
	g.Expect(w.Close()).To(Succeed())
	content, err := io.ReadAll(r)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(Equal(" • build ...\n ✓ build (0s)\n"), "without escape sequences")
}

func TestAStageThatHasEndedSaysNothingMore(t *testing.T) {
	for name, tty := range map[string]bool{"a terminal": true, "a file": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				var out shared
				r := &Reporter{out: &out, tty: tty}
				s := r.Stage("build")
				s.Done("")
				<-time.After(time.Minute)
				out.Reset()
				s.Update("late")
				s.Done("again")
				g.Expect(out.String()).To(BeEmpty())
			})
		})
	}
}
