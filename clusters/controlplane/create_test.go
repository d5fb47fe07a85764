// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
)

func httpClient(config *rest.Config) (*http.Client, error) { return rest.HTTPClientFor(config) }

// newProvider returns a provider of fake programs whose temporary folders are in a
// folder of the test.
func newProvider(t *testing.T, o Options) *Provider {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	o.Programs = programsIn(fakePrograms(t))
	if o.LogDir == "" {
		o.LogDir = t.TempDir()
	}
	p := New(o)
	t.Cleanup(func() { _ = p.Destroy(t.Context()) })
	return p
}

// alive reports whether a process exists.
func alive(id int) bool { return syscall.Kill(id, 0) == nil }

func TestCreateStartsAllComponentsAndDestroyEndsThem(t *testing.T) {
	g := NewWithT(t)
	p := newProvider(t, Options{Kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")})
	kubeconfig, err := p.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(kubeconfig).To(Equal(p.options.Kubeconfig))
	g.Expect(p.GetKubeconfig()).To(Equal(kubeconfig))
	processes, folder := p.Processes(), p.Folder()
	g.Expect(processes).To(HaveLen(4))
	for _, name := range components {
		g.Expect(filepath.Join(p.options.LogDir, name+".log")).To(BeARegularFile())
	}
	g.Expect(userOf(t, p.KubernetesRestConfig())).To(Equal("kubernetes-admin of system:masters"))
	g.Expect(p.KubernetesRestConfig().DisableCompression).To(BeTrue())
	g.Expect(p.WaitForControlPlane(t.Context(), nil)).To(Succeed())
	_, err = p.Create(t.Context())
	g.Expect(err).To(MatchError("control plane draconform is running"))

	g.Expect(p.Destroy(t.Context())).To(Succeed())
	for _, id := range processes {
		g.Expect(alive(id)).To(BeFalse())
	}
	g.Expect(folder).NotTo(BeADirectory())
	g.Expect(p.Destroy(t.Context())).To(Succeed(), "a second time")
	g.Expect(p.ExportLogs(t.Context(), filepath.Join(t.TempDir(), "new"))).To(Succeed())
}

// userOf returns whom the API server takes a client for.
func userOf(t *testing.T, config *rest.Config) string {
	t.Helper()
	g := NewWithT(t)
	client, err := httpClient(config)
	g.Expect(err).NotTo(HaveOccurred())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+"/user", nil)
	g.Expect(err).NotTo(HaveOccurred())
	response, err := client.Do(request)
	g.Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	g.Expect(err).NotTo(HaveOccurred())
	return string(body)
}

func TestComponentsCollectGarbageRarelyUnlessTheUserDecides(t *testing.T) {
	for set, want := range map[string]string{"": "GOGC=300\n", "50": "GOGC=50\n"} {
		g := NewWithT(t)
		t.Setenv("GOGC", set)
		p := newProvider(t, Options{})
		_, err := p.Create(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		for _, name := range components {
			log, err := os.ReadFile(filepath.Join(p.options.LogDir, name+".log"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(log)).To(ContainSubstring(want), name)
		}
	}
}

func TestCreateReportsTheLogOfAComponentThatEnds(t *testing.T) {
	for _, name := range components {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			t.Setenv(dies, name)
			p := newProvider(t, Options{})
			_, err := p.Create(t.Context())
			g.Expect(err).To(MatchError(And(
				HavePrefix("start control plane draconform: "), ContainSubstring(name+" has ended: exit status 3; from its log "), ContainSubstring(name+": a reason to end"),
			)))
			g.Expect(p.Processes()).To(BeEmpty())
			g.Expect(os.ReadDir(os.Getenv("TMPDIR"))).To(BeEmpty())
		})
	}
}

func TestCreateTriesOtherPorts(t *testing.T) {
	for _, name := range []string{etcd, kubeAPIServer, kubeScheduler} {
		t.Run(name, func(t *testing.T) {
			taken := filepath.Join(t.TempDir(), "taken")
			t.Setenv(portTwice, name+"="+taken)
			_, err := newProvider(t, Options{}).Create(t.Context())
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			NewWithT(t).Expect(taken).To(BeARegularFile())
		})
	}
}

func TestCreateEndsWithItsContext(t *testing.T) {
	for _, name := range []string{etcd, kubeAPIServer, kubeScheduler} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			t.Setenv(silent, name)
			p := newProvider(t, Options{})
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("stopped by the user")
			go func() {
				defer cancel(stopped)
				started := func() error { _, err := os.Stat(filepath.Join(p.options.LogDir, name+".log")); return err }
				g.Eventually(started).WithTimeout(lots).Should(Succeed())
			}()
			_, err := p.Create(ctx)
			g.Expect(err).To(MatchError(stopped))
			g.Expect(p.Processes()).To(BeEmpty())
			g.Expect(os.ReadDir(os.Getenv("TMPDIR"))).To(BeEmpty())
		})
	}
}

func TestCreateReturnsTheErrorOfABuild(t *testing.T) {
	g := NewWithT(t)
	failed := errors.New("the compiler has failed")
	p := newProvider(t, Options{Scheduler: Scheduler{Program: func(context.Context) (string, error) { return "", failed }}})
	_, err := p.Create(t.Context())
	g.Expect(err).To(MatchError(failed))
	g.Expect(p.Processes()).To(BeEmpty())
	p.options.Programs = func(context.Context) (string, error) { return "", failed }
	_, err = p.Create(t.Context())
	g.Expect(err).To(MatchError(failed))
}

func TestCreateWithAnExternalScheduler(t *testing.T) {
	g := NewWithT(t)
	p := newProvider(t, Options{Scheduler: Scheduler{External: true}})
	_, err := p.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Processes()).To(HaveLen(3))
	g.Expect(p.RestartScheduler(t.Context())).To(MatchError("restart the scheduler: the control plane has not started one"))
	config, err := readKubeconfig(p.SchedulerKubeconfig())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(userOf(t, config)).To(Equal("system:kube-scheduler"))
	g.Expect(p.Destroy(t.Context())).To(Succeed())
	g.Expect(p.SchedulerKubeconfig()).To(BeEmpty())
}

func TestRestartSchedulerReplacesTheProcess(t *testing.T) {
	g := NewWithT(t)
	p := newProvider(t, Options{})
	_, err := p.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	before := p.running[kubeScheduler].cmd.Process.Pid
	g.Expect(p.RestartScheduler(t.Context())).To(Succeed())
	after := p.running[kubeScheduler].cmd.Process.Pid
	g.Expect(alive(before)).To(BeFalse())
	g.Expect(alive(after)).To(BeTrue())
	g.Expect(p.Ended()).To(Succeed())
	t.Setenv(dies, kubeScheduler)
	g.Expect(p.RestartScheduler(t.Context())).To(MatchError(ContainSubstring("kube-scheduler: a reason to end")))
	g.Expect(p.Ended()).To(MatchError(And(ContainSubstring("kube-scheduler: a reason to end"), Not(ContainSubstring("etcd has ended")))))
}

// A killed run cannot end its processes.
func TestComponentsEndWithAKilledRun(t *testing.T) {
	for name, test := range map[string]struct {
		keep string
		want bool
	}{
		"by default": {"", false},
		"kept":       {"1", true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			self, err := os.Executable()
			g.Expect(err).NotTo(HaveOccurred())
			run := exec.CommandContext(t.Context(), self)
			run.Env = append(os.Environ(), runs+"="+fakePrograms(t), "FAKE_KEEP="+test.keep, "TMPDIR="+t.TempDir())
			out, err := run.StdoutPipe()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(run.Start()).To(Succeed())
			lines := bufio.NewScanner(out)
			var processes []int
			for range components {
				g.Expect(lines.Scan()).To(BeTrue())
				id, err := strconv.Atoi(lines.Text())
				g.Expect(err).NotTo(HaveOccurred(), lines.Text())
				processes = append(processes, id)
			}
			g.Expect(run.Process.Kill()).To(Succeed())
			_ = run.Wait()
			for _, id := range processes {
				if !test.want {
					g.Eventually(func() bool { return running(t.Context(), id) }).WithTimeout(lots).Should(BeFalse())
					continue
				}
				g.Expect(running(t.Context(), id)).To(BeTrue())
				g.Expect(syscall.Kill(id, syscall.SIGKILL)).To(Succeed())
			}
		})
	}
}

// running reports whether a process exists and is no zombie, which a container whose
// first process does not wait for it may keep.
func running(ctx context.Context, id int) bool {
	state, err := exec.CommandContext(ctx, "ps", "-o", "stat=", "-p", strconv.Itoa(id)).Output()
	return err == nil && len(state) > 0 && state[0] != 'Z'
}
