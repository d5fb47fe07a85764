// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package results

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const runID = "20260102-030405-a1b2"

// serve starts a server for a directory. It returns a connection to it and a
// channel with its end.
func serve(ctx context.Context, t *testing.T, s Server) (Dial, <-chan error) {
	t.Helper()
	s.Folder, s.poll = filepath.Join(s.Dir, runID), 10*time.Millisecond
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	return func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
	}, ended
}

func TestFetchedResultsEndTheServer(t *testing.T) {
	g := NewWithT(t)
	dir, parent := t.TempDir(), filepath.Join(t.TempDir(), "artifacts")
	g.Expect(Finish(dir, folderOf(t, dir), nil)).To(Succeed())
	dial, ended := serve(t.Context(), t, Server{Dir: dir, Hold: time.Hour})
	g.Expect(Fetch(t.Context(), dial, parent, runID)).To(Equal(filepath.Join(parent, runID)))
	g.Eventually(ended, time.Minute).Should(Receive(BeNil()))
	g.Expect(contents(t, parent)).To(And(HaveLen(2), HaveKeyWithValue(runID+"/report.yaml", "kind: Report\n")))
}

// The results of a run that was killed are those that it has written.
func TestServeTheFolderOfARunThatWasKilled(t *testing.T) {
	g := NewWithT(t)
	dir, parent := t.TempDir(), t.TempDir()
	folderOf(t, dir)
	dial, ended := serve(t.Context(), t, Server{Dir: dir, Hold: time.Nanosecond})
	g.Consistently(ended, "100ms").ShouldNot(Receive(), "incomplete results are held")
	g.Expect(Fetch(t.Context(), dial, parent, runID)).To(Equal(filepath.Join(parent, runID)))
	g.Eventually(ended, time.Minute).Should(Receive(BeNil()))
	g.Expect(contents(t, parent)).To(HaveKey(runID + "/report.yaml"))
}

func TestFetchWithoutResults(t *testing.T) {
	g := NewWithT(t)
	parent := t.TempDir()
	dial, _ := serve(t.Context(), t, Server{Dir: t.TempDir(), Hold: time.Hour})
	_, err := Fetch(t.Context(), dial, parent, runID)
	g.Expect(err).To(MatchError(HavePrefix("request the results of the run: 404 Not Found: the run has left no results: ")))
	g.Expect(os.ReadDir(parent)).To(BeEmpty(), "nothing is left")
}

// A client that could not write the results can fetch them again.
func TestFetchKeepsAnExistingFolder(t *testing.T) {
	g := NewWithT(t)
	dir, parent := t.TempDir(), t.TempDir()
	g.Expect(Finish(dir, folderOf(t, dir), nil)).To(Succeed())
	dial, ended := serve(t.Context(), t, Server{Dir: dir, Hold: time.Hour})
	g.Expect(os.Mkdir(filepath.Join(parent, runID), 0o755)).To(Succeed())
	_, err := Fetch(t.Context(), dial, parent, runID)
	g.Expect(err).To(MatchError(fs.ErrExist))
	g.Expect(os.ReadDir(filepath.Join(parent, runID))).To(BeEmpty())
	g.Consistently(ended, "50ms").ShouldNot(Receive())
}

func TestServerHoldsCompleteResultsForALimitedTime(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	_, ended := serve(t.Context(), t, Server{Dir: dir, Hold: 50 * time.Millisecond})
	g.Consistently(ended, "150ms").ShouldNot(Receive(), "the run has not ended")
	g.Expect(Finish(dir, folderOf(t, dir), nil)).To(Succeed())
	g.Eventually(ended, time.Minute).Should(Receive(BeNil()))
}

// Both containers of a pod are terminated at the same time, and the run cleans up
// before it completes its results.
func TestTerminatedServerWaitsForTheRun(t *testing.T) {
	g := NewWithT(t)
	dir, parent := t.TempDir(), t.TempDir()
	ctx, terminate := context.WithCancel(t.Context())
	dial, ended := serve(ctx, t, Server{Dir: dir, Hold: time.Hour, Farewell: 300 * time.Millisecond})
	terminate()
	g.Consistently(ended, "400ms").ShouldNot(Receive(), "the run has not ended")
	g.Expect(Finish(dir, folderOf(t, dir), nil)).To(Succeed())
	g.Consistently(ended, "100ms").ShouldNot(Receive(), "the client that has terminated the pod can fetch the results")
	g.Expect(Fetch(t.Context(), dial, parent, runID)).NotTo(BeEmpty())
	g.Eventually(ended, time.Minute).Should(Receive(BeNil()))
}

// Complete results that were held for long get the shorter time, too.
func TestTerminatedServerEndsWithCompleteResults(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(Finish(dir, folderOf(t, dir), nil)).To(Succeed())
	ctx, terminate := context.WithCancel(t.Context())
	_, ended := serve(ctx, t, Server{Dir: dir, Hold: time.Hour, Farewell: 20 * time.Millisecond})
	g.Consistently(ended, "100ms").ShouldNot(Receive())
	terminate()
	g.Eventually(ended, time.Minute).Should(Receive(BeNil()))
}

func TestServerReportsThatItCannotListen(t *testing.T) {
	g := NewWithT(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(listener.Close()).To(Succeed())
	g.Expect(Server{Dir: t.TempDir()}.Serve(t.Context(), listener)).To(MatchError(HavePrefix("serve the results: ")))
}
