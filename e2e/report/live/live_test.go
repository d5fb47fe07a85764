// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// half writes the log of a run of which half of the specs have finished.
func half(t *testing.T, dir string) *Log {
	t.Helper()
	l, err := Create(dir, Run{ID: "20260301-120000-0a1f", Version: "v1.0.0", Started: began})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(l.Close)
	l.Planned(4)
	l.Finished(report.Spec{ID: "fits", Outcome: suite.Passed, Seconds: 2.5, Steps: []report.Step{{Text: "waiting"}}})
	l.Finished(report.Spec{ID: "no-room", Description: "It <b>waits</b>.", Outcome: suite.Failed, Reason: "it did\nnot wait"})
	return l
}

func TestReadReturnsWhatWasWritten(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	half(t, dir)
	s, err := Read(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Run).To(Equal(Run{"20260301-120000-0a1f", "v1.0.0", began}))
	g.Expect(s.Planned).To(Equal(4))
	g.Expect(s.Specs).To(HaveExactElements(HaveField("ID", "fits"), And(HaveField("ID", "no-room"), HaveField("Reason", "it did\nnot wait"))))
	g.Expect(s.Specs[0].Steps).To(BeEmpty(), "the log stays small")
	g.Expect(s.Changed).To(BeTemporally("~", time.Now(), time.Minute))
	g.Expect(s.Summary()).To(Equal("2 of 4 specs have finished: 1 passed, 1 failed"))
}

// The run may be writing the last line. Any other damage is an error.
func TestReadOfIncompleteFiles(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	half(t, dir)
	content, err := os.ReadFile(filepath.Join(dir, File))
	g.Expect(err).NotTo(HaveOccurred())
	for n := range len(content) {
		g.Expect(os.WriteFile(filepath.Join(dir, File), content[:n], 0o600)).To(Succeed())
		s, err := Read(dir)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(len(s.Specs)).To(BeNumerically("<=", max(0, strings.Count(string(content[:n]), "\n")-2)))
	}
	g.Expect(os.WriteFile(filepath.Join(dir, File), []byte("{\n{}\n"), 0o600)).To(Succeed())
	_, err = Read(dir)
	g.Expect(err).To(MatchError(ContainSubstring("read the state of a run: ")))
}

// What runs is written only when it changes.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		dir := t.TempDir()
		l := half(t, dir)
		r := progress.New(&strings.Builder{})
		stop := l.Follow(r)
		task := r.Task("specs")
		task.Begin("large")
		<-time.After(30 * time.Second)
		s, err := Read(dir)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.Tasks()).To(HaveLen(1))
		g.Expect(s.Tasks()[0].Name).To(Equal("specs"))
		g.Expect(s.Tasks()[0].Parts).To(ConsistOf(HaveField("Name", "large")))
		content, err := os.ReadFile(filepath.Join(dir, File))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.Count(string(content), `"now"`)).To(Equal(1))
		task.Done("")
		<-time.After(2 * interval)
		stop()
		s, err = Read(dir)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.Tasks()).To(BeEmpty())
	})
}

func TestANilLogWritesNothing(*testing.T) {
	var l *Log
	l.Planned(1)
	l.Finished(report.Spec{})
}

func TestFind(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	_, err := Find(dir)
	g.Expect(err).To(MatchError(ContainSubstring("nor a folder in it has a file live.jsonl or report.html")))
	_, err = Find(filepath.Join(dir, "gone"))
	g.Expect(err).To(MatchError(os.ErrNotExist))
	for _, run := range []string{"20260301-120000-0a1f", "20260302-120000-0a1f"} {
		g.Expect(os.Mkdir(filepath.Join(dir, run), 0o700)).To(Succeed())
		half(t, filepath.Join(dir, run))
	}
	g.Expect(os.Mkdir(filepath.Join(dir, "unrelated"), 0o700)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(dir, "a file"), nil, 0o600)).To(Succeed())
	g.Expect(Find(dir)).To(Equal(filepath.Join(dir, "20260302-120000-0a1f")), "the newest")
	g.Expect(Find(filepath.Join(dir, "20260301-120000-0a1f"))).To(Equal(filepath.Join(dir, "20260301-120000-0a1f")))
}
