// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/env"
)

func waiting(reason, message string) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "workload", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}}
}

func exited(t corev1.ContainerStateTerminated) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "workload", State: corev1.ContainerState{Terminated: &t}}}}
}

// Messages are those of Kubernetes 1.37 and containerd 2.
func TestImagesThatDoNotRun(t *testing.T) {
	noShell := "failed to create containerd task: runc create failed: unable to start container process: exec: \"/bin/sh\": stat /bin/sh: no such file or directory"
	for name, test := range map[string]struct {
		status corev1.PodStatus
		want   string // of the error, or empty
	}{
		"not in the registry": {waiting("ImagePullBackOff", `Back-off pulling image "workload:1": not found`), `image workload:1: container is waiting: ImagePullBackOff: Back-off pulling image "workload:1": not found; push`},
		"not on the node":     {waiting("ErrImageNeverPull", "not present"), "image workload:1: container is waiting: ErrImageNeverPull: not present; push"},
		"no valid name":       {waiting("InvalidImageName", "could not parse"), "image workload:1: container is waiting: InvalidImageName: could not parse; push"},
		"without a shell":     {waiting("RunContainerError", noShell), "image workload:1: container is waiting: RunContainerError: " + noShell + "; push"},
		"never started":       {exited(corev1.ContainerStateTerminated{ExitCode: 128, Reason: "StartError", Message: noShell}), "image workload:1: container exited with code 128: StartError " + noShell + "; push"},
		"exits":               {exited(corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", StartedAt: metav1.Now()}), "image workload:1: container exited with code 1: Error; push"},
		"another image": {
			corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "workload", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}},
			"image workload:1: its container runs, and does not report what it sees: ",
		},
		"still creating":   {waiting("ContainerCreating", ""), ""},
		"is unschedulable": {corev1.PodStatus{Phase: corev1.PodPending}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset()
			client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
				action.(clienttesting.CreateAction).GetObject().(*corev1.Pod).Status = test.status
				return false, nil, nil
			})
			timeouts := env.DefaultTimeouts()
			timeouts.PodStart = 10 * time.Millisecond
			of := subject.Fakes{NIC: "nic.example.com"}.Subject()
			err := New(Config{Client: client, Namespace: "ours", Subject: of, Workload: "workload:1", Timeouts: timeouts}).CheckWorkload(t.Context())
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred(), "specs find out why")
			} else {
				g.Expect(err).To(MatchError(HavePrefix("pods as those for driver nic.example.com do not run, also without devices: " + test.want)))
			}
			left, err := client.CoreV1().Pods("ours").List(t.Context(), metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.Items).To(BeEmpty())
		})
	}
}

// An image that a registry refuses twice is not waited for until the timeout.
func TestRefusedImagesEndTheCheck(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset(&corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ours", Name: "try.1"}, Reason: "Failed", Type: corev1.EventTypeWarning, Count: 2,
		Message: `Failed to pull image "workload:1": workload:1: not found`,
	})
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		pod.Spec.NodeName, pod.Status = "worker", waiting("ImagePullBackOff", "Back-off pulling image")
		return false, nil, nil
	})
	timeouts := env.DefaultTimeouts()
	timeouts.PodStart = time.Hour
	config := Config{Client: client, Namespace: "ours", Subject: subject.Fakes{NIC: "nic.example.com"}.Subject(), Workload: "workload:1", Timeouts: timeouts}
	g.Expect(New(config).CheckWorkload(t.Context())).To(MatchError(And(
		HavePrefix("pods as those for driver nic.example.com do not run, also without devices: image workload:1: "+
			"the kubelet of node worker has tried to pull it 2 times, in vain: container is waiting: ImagePullBackOff: Back-off pulling image; "),
		ContainSubstring("push the workload image"))))
}

// Each driver may have an image of its own.
func TestImageOfOneDriverDoesNotRun(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	var images []string
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		image := pod.Spec.Containers[0].Image
		images = append(images, image)
		if pod.Status = waiting("ContainerCreating", ""); image == "workload:nic" {
			pod.Status = waiting("ErrImageNeverPull", "not present")
		}
		return false, nil, nil
	})
	of := subject.Fakes{MIG: driver, TPU: "tpu.example.com", NIC: "nic.example.com"}.Subject()
	of.Pods = map[string]driverfile.Pods{driver: {Image: "workload:mig"}, "nic.example.com": {Image: "workload:nic"}}
	timeouts := env.Timeouts{PodStart: 10 * time.Millisecond, Deletion: time.Second}
	err := New(Config{Client: client, Namespace: "ours", Subject: of, Workload: "workload:1", Timeouts: timeouts}).CheckWorkload(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring("for driver nic.example.com do not run, also without devices: image workload:nic: ")))
	g.Expect(images).To(ConsistOf("workload:mig", "workload:1", "workload:nic"))
}

func TestWorkloadRuns(t *testing.T) {
	g := NewWithT(t)
	guest, e := newTestGuest(t, fakecluster.Options{}, driverfile.Pods{})
	g.Expect(guest.Open(t.Context(), func(error) {})).To(Succeed())
	g.Expect(guest.CheckWorkload(t.Context())).To(Succeed())
	left, err := e.Client.CoreV1().Pods(guest.namespace).List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left.Items).To(BeEmpty(), "specs count pods")
	g.Expect(guest.Close(t.Context())).To(Succeed())
}

func TestLostAPIServerEndsTheCheckOfImages(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("connection refused")
	})
	of := subject.Fakes{NIC: "nic.example.com"}.Subject()
	timeouts := env.Timeouts{PodStart: 10 * time.Millisecond, Deletion: 10 * time.Millisecond}
	err := New(Config{Client: client, Namespace: "ours", Subject: of, Timeouts: timeouts}).CheckWorkload(t.Context())
	g.Expect(err).To(MatchError(HavePrefix("try whether pods for driver nic.example.com run: get pod try-1: connection refused")))
}
