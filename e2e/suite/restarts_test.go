// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"maps"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// clusterBegins is when the time of a run begins.
var clusterBegins = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// component is a pod of the control plane.
func component(name string, status corev1.ContainerStatus) runtime.Object {
	status.Name = name
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-node", Namespace: "kube-system", Labels: map[string]string{"tier": "control-plane"}},
		Spec:       corev1.PodSpec{NodeName: "control-plane"},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{status}},
	}
}

// endedWith is the state of a container that ended a number of seconds after the run began.
func endedWith(exitCode int32, reason string, seconds int) corev1.ContainerState {
	at := metav1.NewTime(clusterBegins.Add(time.Duration(seconds) * time.Second))
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exitCode, Reason: reason, FinishedAt: at}}
}

func init() {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	objects := []runtime.Object{
		component("etcd", corev1.ContainerStatus{State: running}),
		component("kube-apiserver", corev1.ContainerStatus{State: running, RestartCount: 1, LastTerminationState: endedWith(1, "Error", -60)}),
		component("kube-controller-manager", corev1.ContainerStatus{
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}, RestartCount: 5, LastTerminationState: endedWith(255, "Error", -60),
		}),
		component("kube-proxy", corev1.ContainerStatus{State: endedWith(137, "OOMKilled", 2), RestartCount: 0}),
		component("kube-scheduler", corev1.ContainerStatus{State: running, RestartCount: 3, LastTerminationState: endedWith(2, "Error", 1)}),
	}
	failing := func(components bool) func(context.Context, *suite.Options) context.Context {
		return func(ctx context.Context, c *suite.Options) context.Context {
			c.Components = components
			c.Specs = []suite.Spec{spec("fails", "p", func(context.Context, *env.Env) { Expect(2).To(Equal(1), "the numbers should be equal") })}
			return ctx
		}
	}
	maps.Copy(cases, map[string]suiterun.Case{
		"components that restart":              {Cluster: fakecluster.Options{Objects: objects}, Change: failing(true)},
		"components of others that restart":    {Cluster: fakecluster.Options{Objects: objects}, Change: failing(false)},
		"components that restart out of reach": {Change: failing(true)},
	})
}

// Otherwise, a spec of a scheduler that crashes again and again would be a timeout.
func TestReasonMentionsComponentsThatRestarted(t *testing.T) {
	g := NewWithT(t)
	reason := suiterun.Run(t, "components that restart").Of("fails").Reason
	g.Expect(reason).To(HaveSuffix(`
kube-controller-manager does not run: CrashLoopBackOff; it ended at 23:59:00: exit code 255, Error; its restart count is 5
kube-proxy does not run; it ended at 00:00:02: exit code 137, OOMKilled; its restart count is 0
kube-scheduler ended at 00:00:01: exit code 2, Error; its restart count is 3`), "and no component that runs since before the spec")
	g.Expect(reason).NotTo(ContainSubstring("etcd"))
	g.Expect(reason).NotTo(ContainSubstring("kube-apiserver"))
}

// What others restart in a cluster of theirs is their business, and they may not let the
// run read it.
func TestReasonDoesNotMentionComponentsOfOthers(t *testing.T) {
	for _, name := range []string{"components of others that restart", "components that restart out of reach"} {
		reason := suiterun.Run(t, name).Of("fails").Reason
		NewWithT(t).Expect(reason).To(HavePrefix("the numbers should be equal\n"), name)
		NewWithT(t).Expect(reason).NotTo(ContainSubstring("kube-"), name)
	}
}
