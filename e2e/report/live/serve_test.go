// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
)

// served serves a folder. end ends the server and returns its error.
func served(t *testing.T, dir string) (url string, end func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	url, ended := start(ctx, t, Server{Dir: dir, Keep: true, poll: 10 * time.Millisecond})
	return url, func() error { cancel(); return <-ended }
}

// start starts a server.
func start(ctx context.Context, t *testing.T, s Server) (url string, ended <-chan error) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	end := make(chan error, 1)
	go func() { end <- s.Serve(ctx, listener) }()
	return "http://" + listener.Addr().String() + "/", end
}

// get returns the status, the headers and the body of a response.
func get(t *testing.T, url, host string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	request.Host = host
	response, err := http.DefaultClient.Do(request)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, response.Header, string(body)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	NewWithT(t).Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
	NewWithT(t).Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
}

// A browser sees the state, then changes, and at last the page of the run.
func TestServe(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	l := half(t, dir)
	url, end := served(t, dir)
	status, _, page := get(t, url, "")
	g.Expect(status).To(Equal(http.StatusOK))
	g.Expect(page).To(ContainSubstring("2 of 4 specs have finished: 1 passed, 1 failed"))
	g.Expect(page).To(ContainSubstring("It &lt;b&gt;waits&lt;/b&gt;."), "texts are escaped")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"events", nil)
	g.Expect(err).NotTo(HaveOccurred())
	events, err := http.DefaultClient.Do(request)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = events.Body.Close() }()
	g.Expect(events.Header.Get("Content-Type")).To(Equal("text/event-stream"))
	lines := bufio.NewScanner(events.Body)
	await := func(text string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("the events end without %q", text)
	}
	await("event: state")
	await("2 of 4 specs have finished")
	l.Finished(report.Spec{ID: "third"})
	await("3 of 4 specs have finished")
	write(t, dir, "report.html", "<h1>the report</h1>")
	await("event: report")
	for lines.Scan() {
		g.Expect(lines.Text()).To(Or(Equal("data: "), BeEmpty()), "the events end")
	}
	_, header, page := get(t, url, "")
	g.Expect(page).To(Equal("<h1>the report</h1>"))
	g.Expect(header.Get("Content-Type")).To(HavePrefix("text/html"))
	g.Expect(end()).To(Succeed())
}

// The server ends with the run, after browsers could load its page.
func TestServeEndsWithTheRun(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	half(t, dir)
	url, ended := start(t.Context(), t, Server{Dir: dir, poll: 100 * time.Millisecond})
	g.Consistently(ended, 300*time.Millisecond).ShouldNot(Receive(), "the run takes place")
	write(t, dir, "report.html", "<h1>the report</h1>")
	_, _, page := get(t, url, "")
	g.Expect(page).To(Equal("<h1>the report</h1>"))
	g.Eventually(ended, time.Minute).Should(Receive(BeNil()))
}

// The end of the context ends open streams, too.
func TestServeEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	half(t, dir)
	url, end := served(t, dir)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"events", nil)
	g.Expect(err).NotTo(HaveOccurred())
	events, err := http.DefaultClient.Do(request)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = events.Body.Close() }()
	g.Expect(end()).To(Succeed())
}

// Only files that the page links are served, as text. Links do not lead out of
// the folder.
func TestServedFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "run/report.html", "the page")
	write(t, dir, "run/report.yaml", "kind: Report")
	write(t, dir, "run/artifacts/a/pods.html", "<script>")
	write(t, dir, "run/kubeconfig", "secret")
	write(t, dir, "run/nodes/n/kubelet.log", "log")
	write(t, dir, "outside", "secret")
	NewWithT(t).Expect(os.Symlink("../outside", filepath.Join(dir, "run", "artifacts", "link"))).To(Succeed())
	url, _ := served(t, filepath.Join(dir, "run"))
	for path, want := range map[string]int{
		"report.yaml": 200, "artifacts/a/pods.html": 200, "artifacts/": 200, "nodes/n/kubelet.log": 200,
		"kubeconfig": 404, "artifacts/link": 404, "artifacts/../kubeconfig": 404, "artifacts/%2e%2e/kubeconfig": 404, "../outside": 404, "live.jsonl": 404, "artifacts/gone": 404,
	} {
		t.Run(path, func(t *testing.T) {
			g := NewWithT(t)
			status, header, body := get(t, url+path, "")
			g.Expect(status).To(Equal(want), body)
			g.Expect(body).NotTo(ContainSubstring("secret"))
			if want == 200 {
				g.Expect(header.Get("Content-Security-Policy")).To(Equal("sandbox; default-src 'none'"))
				g.Expect(header.Get("X-Content-Type-Options")).To(Equal("nosniff"))
			}
			if strings.HasSuffix(path, "pods.html") {
				g.Expect(header.Get("Content-Type")).To(HavePrefix("text/plain"))
			}
		})
	}
}

// A page of somebody else whose name resolves to this machine gets nothing.
func TestServeAnswersThisMachineOnly(t *testing.T) {
	dir := t.TempDir()
	half(t, dir)
	url, _ := served(t, dir)
	for host, want := range map[string]int{"": 200, "localhost:80": 200, "127.0.0.1": 200, "[::1]:80": 200, "evil.example.com": 403, "localhost.example.com:80": 403, "192.0.2.1": 403} {
		status, _, _ := get(t, url, host)
		NewWithT(t).Expect(status).To(Equal(want), host)
	}
}

// Nothing is loaded from elsewhere, and only the page's own script runs.
func TestPageIsSelfContained(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	g.Expect(State{Planned: 1, Now: progress.State{Tasks: []progress.TaskState{{Name: "<script>alert(1)</script>"}}}}.html(&b)).To(Succeed())
	scripts := regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`).FindAllStringSubmatch(b.String(), -1)
	g.Expect(scripts).To(HaveLen(1))
	sum := sha256.Sum256([]byte(scripts[0][1]))
	policy := strings.NewReplacer("+", "&#43;", "'", "&#39;").Replace(
		"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; connect-src 'self'")
	g.Expect(b.String()).To(ContainSubstring(`content="` + policy + `"`))
	g.Expect(b.String()).NotTo(Or(ContainSubstring("://"), ContainSubstring("url("), ContainSubstring("src=")))
}

// A run that was killed leaves no report.
func TestSilence(t *testing.T) {
	g := NewWithT(t)
	g.Expect(State{Changed: time.Now()}.Silent()).To(BeEmpty())
	g.Expect(State{Changed: time.Now().Add(-20 * time.Minute)}.Silent()).To(Equal("20m0s"))
}
