// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"
	"github.com/onsi/gomega/types"
)

// watched creates a control plane of fake programs and watches it.
func watched(t *testing.T) (*Provider, <-chan *EndedError) {
	t.Helper()
	p := newProvider(t, Options{})
	_, err := p.Create(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	ended := make(chan *EndedError, 2)
	stop := p.Watch(t.Context(), func(e *EndedError) { ended <- e })
	t.Cleanup(stop)
	return p, ended
}

// kill kills components as something else on the machine would.
func kill(t *testing.T, p *Provider, names ...string) {
	t.Helper()
	for _, name := range names {
		NewWithT(t).Expect(syscall.Kill(p.running[name].cmd.Process.Pid, syscall.SIGKILL)).To(Succeed())
	}
}

// A reason names the component, how it has ended, and what it has logged.
func TestWatchReportsAComponentThatEnds(t *testing.T) {
	for _, name := range components {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, ended := watched(t)
			kill(t, p, name)
			var got *EndedError
			g.Eventually(ended).WithTimeout(lots).Should(Receive(&got))
			g.Expect(got).To(gstruct.PointTo(matchKilled(name, filepath.Join(p.options.LogDir, name+".log"))))
			g.Expect(got.OfScheduler()).To(Equal(name == kubeScheduler))
			g.Expect(p.FirstEnded()).To(Equal(got))
			g.Expect(p.Processes()).To(HaveLen(3), "the id of the process may be that of another soon")
			g.Consistently(ended, "300ms").ShouldNot(Receive(), "it is reported once")
		})
	}
}

// matchKilled matches the end of a killed component.
func matchKilled(name, log string) types.GomegaMatcher {
	return gstruct.MatchAllFields(gstruct.Fields{
		"Name": Equal(name), "Result": Equal("signal: killed"), "Log": Equal(log), "LastLines": HavePrefix(name + " was started with "),
	})
}

// A scheduler may end because there is no API server, and is not at fault then.
func TestWatchReportsTheComponentThatOthersNeed(t *testing.T) {
	for name, test := range map[string]struct {
		killed []string
		want   string
	}{
		"all, the scheduler first": {[]string{kubeScheduler, kubeControllerManager, kubeAPIServer, etcd}, etcd},
		"API server and scheduler": {[]string{kubeScheduler, kubeAPIServer}, kubeAPIServer},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := newProvider(t, Options{})
			_, err := p.Create(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			kill(t, p, test.killed...)
			for _, name := range test.killed {
				g.Eventually(p.Ended).WithTimeout(lots).Should(MatchError(ContainSubstring(name + " has ended: signal: killed; ")))
			}
			ended := make(chan *EndedError, 1)
			defer p.Watch(t.Context(), func(e *EndedError) { ended <- e })()
			g.Eventually(ended).WithTimeout(lots).Should(Receive(HaveField("Name", test.want)))
		})
	}
}

// What a spec or the end of a run does is no accident.
func TestWatchReportsNoComponentThatIsStopped(t *testing.T) {
	g := NewWithT(t)
	p, ended := watched(t)
	before := p.running[kubeScheduler]
	g.Expect(p.RestartScheduler(t.Context())).To(Succeed())
	g.Expect(before.done).To(BeClosed())
	g.Consistently(ended, 2*settleTime).ShouldNot(Receive())
	g.Expect(p.FirstEnded()).To(BeNil()) //nolint:ginkgolinter // A nil pointer is no nil error.
	kill(t, p, kubeScheduler)
	g.Eventually(ended).WithTimeout(lots).Should(Receive(HaveField("Name", kubeScheduler)), "the watch goes on")

	p, ended = watched(t)
	g.Expect(p.Destroy(t.Context())).To(Succeed())
	g.Consistently(ended, 2*settleTime).ShouldNot(Receive())
}

// A scheduler that does not survive its restart has ended by itself.
func TestWatchReportsASchedulerThatDoesNotStartAgain(t *testing.T) {
	g := NewWithT(t)
	p, ended := watched(t)
	t.Setenv(dies, kubeScheduler)
	g.Expect(p.RestartScheduler(t.Context())).To(MatchError(ContainSubstring("kube-scheduler: a reason to end")))
	g.Eventually(ended).WithTimeout(lots).Should(Receive(And(HaveField("Name", kubeScheduler), HaveField("Result", "exit status 3"))))
}

// To start another scheduler would hide the fault.
func TestRestartOfASchedulerThatHasEnded(t *testing.T) {
	g := NewWithT(t)
	p, ended := watched(t)
	kill(t, p, kubeScheduler)
	g.Eventually(ended).WithTimeout(lots).Should(Receive())
	g.Expect(p.RestartScheduler(t.Context())).To(MatchError(HavePrefix("restart the scheduler: kube-scheduler has ended: signal: killed; from its log ")))
	g.Expect(p.Processes()).To(HaveLen(3), "none was started")
}

// A watch that begins after the end of a component reports it, too. One that is stopped
// reports nothing afterwards.
func TestWatchBeginsLateAndStops(t *testing.T) {
	g := NewWithT(t)
	p := newProvider(t, Options{})
	_, err := p.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	ended := make(chan *EndedError, 2)
	stop := p.Watch(t.Context(), func(e *EndedError) { ended <- e })
	stop()
	kill(t, p, kubeControllerManager)
	g.Eventually(p.FirstEnded).WithTimeout(lots).ShouldNot(BeNil()) //nolint:ginkgolinter // A nil pointer is no nil error.
	g.Consistently(ended, 2*settleTime).ShouldNot(Receive())

	begun := time.Now()
	defer p.Watch(t.Context(), func(e *EndedError) { ended <- e })()
	g.Eventually(ended).WithTimeout(lots).Should(Receive(HaveField("Name", kubeControllerManager)))
	g.Expect(time.Since(begun)).To(BeNumerically(">=", settleTime))
	g.Expect(os.ReadDir(p.options.LogDir)).To(HaveLen(4))
}
