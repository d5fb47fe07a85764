// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientsetfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// manifest is a shortened manifest of kubeadm.
const manifest = `apiVersion: v1
kind: Pod
metadata:
  labels: {component: kube-scheduler, tier: control-plane}
  name: kube-scheduler
  namespace: kube-system
spec:
  containers:
  - command: [kube-scheduler, --feature-gates=DRADeviceTaints=false, --kubeconfig=/etc/kubernetes/scheduler.conf]
    image: registry.k8s.io/kube-scheduler:v1.37.1
    imagePullPolicy: IfNotPresent
    livenessProbe:
      httpGet: {host: 127.0.0.1, path: /livez, port: probe-port, scheme: HTTPS}
      initialDelaySeconds: 10
      periodSeconds: 10
    name: kube-scheduler
    startupProbe:
      failureThreshold: 24
      httpGet: {host: 127.0.0.1, path: /livez, port: probe-port, scheme: HTTPS}
      initialDelaySeconds: 10
      periodSeconds: 10
      timeoutSeconds: 15
  hostNetwork: true
`

// schedulerPodOf returns the pod that replaces kube-scheduler of a version.
func schedulerPodOf(t *testing.T, version string) corev1.Pod {
	t.Helper()
	g := NewWithT(t)
	var pod corev1.Pod
	g.Expect(yaml.UnmarshalStrict(schedulerYAML(t, strings.Replace(manifest, "v1.37.1", "v"+version, 1), images.Scheduler), &pod)).To(Succeed())
	return pod
}

func schedulerYAML(t *testing.T, manifest string, image images.Image) []byte {
	t.Helper()
	g := NewWithT(t)
	pod, err := schedulerPod([]byte(manifest), image)
	g.Expect(err).NotTo(HaveOccurred())
	changed, err := pod.YAML()
	g.Expect(err).NotTo(HaveOccurred())
	return changed
}

func TestSchedulerPodRunsDraconformsScheduler(t *testing.T) {
	g := NewWithT(t)
	var want corev1.Pod
	g.Expect(yaml.UnmarshalStrict([]byte(manifest), &want)).To(Succeed())
	c := &want.Spec.Containers[0]
	c.Image, c.ImagePullPolicy, c.Command[0] = images.Scheduler.Ref, corev1.PullNever, "/draconform-scheduler"
	// The total duration is kubeadm's 24 times 10 seconds, with a period of one second.
	c.StartupProbe.InitialDelaySeconds, c.StartupProbe.PeriodSeconds, c.StartupProbe.FailureThreshold = 1, 1, 240
	g.Expect(schedulerPodOf(t, "1.37.1")).To(Equal(want))
}

func TestSchedulerPodEmulatesAnOlderRelease(t *testing.T) {
	g := NewWithT(t)
	g.Expect(schedulerPodOf(t, "1.35.4").Spec.Containers[0].Command).To(Equal([]string{
		"/draconform-scheduler", "--feature-gates=DRADeviceTaints=false", "--kubeconfig=/etc/kubernetes/scheduler.conf", "--emulated-version=1.35",
	}))
}

// UseScheduler can replace draconform's scheduler again.
func TestSchedulerPodReplacesItsOwnImage(t *testing.T) {
	g := NewWithT(t)
	first := schedulerYAML(t, strings.Replace(manifest, "v1.37.1", "v1.35.4", 1), images.Scheduler)
	other := images.Scheduler
	other.Ref = "draconform.dev/scheduler:other"
	second := schedulerYAML(t, string(first), other)
	g.Expect(string(second)).To(Equal(strings.Replace(string(first), images.Scheduler.Ref, other.Ref, 1)), "only the image differs")
}

func TestSchedulerPodErrors(t *testing.T) {
	for name, test := range map[string]struct{ manifest, want string }{
		"not YAML":                {"{", "read /etc/kubernetes/manifests/kube-scheduler.yaml: "},
		"without a container":     {"kind: Pod\n", "it does not have one container with a command"},
		"of an image's command":   {"spec: {containers: [{name: a}]}\n", "it does not have one container with a command"},
		"with a second of a kind": {"spec: {containers: [{name: a, command: [a]}, {name: b, command: [b]}]}\n", "it does not have one container with a command"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schedulerPod([]byte(test.manifest), images.Scheduler)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

// The manifest must be swapped by the script: the kubelet reads it on every change and retries late while the old pod
// is terminating.
func TestChangeManifestReplacesIt(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: "exec c-control-plane cat", Stdout: manifest}, fake.Answer{Args: "exec c-control-plane sh"})
	f.Forget()
	g.Expect(p.changeManifest(t.Context(), "c-control-plane", images.Scheduler)).To(Succeed())
	lines := f.Lines()
	g.Expect(lines[0]).To(Equal("docker exec c-control-plane cat /etc/kubernetes/manifests/kube-scheduler.yaml"))
	g.Expect(lines[1]).To(HavePrefix("docker exec c-control-plane sh -ec " + staticpod.Swap + " sh / kube-scheduler "))
	g.Expect(lines[1]).To(And(ContainSubstring("image: "+images.Scheduler.Ref), ContainSubstring("\n  uid: ")))
}

func lease(holder *string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-scheduler", Namespace: "kube-system"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: holder},
	}
}

// mirror is the mirror pod of the static pod.
func mirror(image string, ready corev1.ConditionStatus, state corev1.ContainerState) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-scheduler-c", Namespace: "kube-system", Labels: map[string]string{"component": "kube-scheduler"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "kube-scheduler", Image: image}}},
		Status: corev1.PodStatus{
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "kube-scheduler", State: state}},
		},
	}
}

func TestSchedulerReady(t *testing.T) {
	ours := images.Scheduler.Ref
	crashing := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 10s"}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2}}
	for name, test := range map[string]struct {
		pod    *corev1.Pod
		holder *string
		want   string
	}{
		"another process leads":  {mirror(ours, corev1.ConditionTrue, corev1.ContainerState{}), ptr.To("after"), ""},
		"the old one leads":      {mirror(ours, corev1.ConditionTrue, corev1.ContainerState{}), ptr.To("before"), "its process does not lead"},
		"the lease was released": {mirror(ours, corev1.ConditionTrue, corev1.ContainerState{}), ptr.To(""), "its process does not lead"},
		"the old pod":            {mirror("registry.k8s.io/kube-scheduler:v1.37.1", corev1.ConditionTrue, corev1.ContainerState{}), ptr.To("after"), "its kubelet has not started the pod"},
		"it is not ready":        {mirror(ours, corev1.ConditionFalse, corev1.ContainerState{}), ptr.To("after"), "its pod is not ready"},
		"it crashes":             {mirror(ours, corev1.ConditionTrue, crashing), ptr.To("after"), "its container waits: CrashLoopBackOff: back-off 10s"},
		"it ended":               {mirror(ours, corev1.ConditionTrue, ended), ptr.To("after"), "its container ended with exit code 2"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := schedulerReady(t.Context(), clientsetfake.NewClientset(test.pod, lease(test.holder)), ours, "before")
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(test.want))
			}
		})
	}
}

func TestWaitForSchedulerReportsItsStateAndLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("no more time"))
		defer cancel()
		client := clientsetfake.NewClientset([]runtime.Object{mirror(images.Scheduler.Ref, corev1.ConditionFalse, corev1.ContainerState{}), lease(nil)}...)
		err := waitForScheduler(ctx, client, images.Scheduler.Ref, "")
		g.Expect(err).To(MatchError("wait until scheduler " + images.Scheduler.Ref + " leads: no more time: its pod is not ready; last lines of its log:\nfake logs"))
	})
}
