// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

// Messages are those of Kubernetes 1.37 and containerd 2.
const (
	notFound    = `rpc error: code = NotFound desc = failed to pull and unpack image "example.com/w:1": failed to resolve reference "example.com/w:1": example.com/w:1: not found`
	denied      = `failed to pull and unpack image "example.com/w:1": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://example.com/token: 403 Forbidden`
	unreachable = `failed to pull and unpack image "example.com/w:1": failed to do request: Head "https://example.com/v2/w/manifests/1": dial tcp 192.0.2.1:443: connect: connection refused`
)

func waitsFor(reason, message string) *corev1.Pod {
	return &corev1.Pod{Spec: corev1.PodSpec{NodeName: "worker"}, Status: corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}}}
}

func failedPull(count int32, message string) corev1.Event {
	return corev1.Event{Reason: "Failed", Type: corev1.EventTypeWarning, Count: count, Message: `Failed to pull image "example.com/w:1": ` + message}
}

// other are events that are no further attempts.
var other = []corev1.Event{
	{Reason: "Failed", Count: 5, Message: "Error: ErrImagePull"}, {Reason: "Failed", Count: 5, Message: "Error: ImagePullBackOff"},
	{Reason: "BackOff", Count: 9, Message: `Back-off pulling image "example.com/w:1"`}, {Reason: "Pulling", Count: 3, Message: `Pulling image "example.com/w:1"`},
}

// A registry that refuses twice is believed, and one that is down for seconds is
// waited for.
func TestPullsInVain(t *testing.T) {
	backOff := waitsFor("ImagePullBackOff", `Back-off pulling image "example.com/w:1"`)
	for name, test := range map[string]struct {
		pod    *corev1.Pod
		events []corev1.Event
		after  time.Duration // since the first failure
		want   string
	}{
		"refused once":                    {waitsFor("ErrImagePull", notFound), []corev1.Event{failedPull(1, notFound)}, 9 * time.Second, ""},
		"refused twice":                   {waitsFor("ErrImagePull", notFound), []corev1.Event{failedPull(2, notFound)}, 11 * time.Second, "2 times"},
		"refused three times":             {backOff, []corev1.Event{failedPull(1, notFound), failedPull(2, denied)}, 11 * time.Second, "3 times"},
		"refused in a series":             {backOff, []corev1.Event{{Reason: "Failed", Message: failedPull(0, denied).Message, Series: &corev1.EventSeries{Count: 2}}}, 0, "2 times"},
		"refused, without events":         {waitsFor("ErrImagePull", denied), nil, 30 * time.Second, "several times"},
		"refused a while, without events": {waitsFor("ErrImagePull", denied), nil, 29 * time.Second, ""},
		"no answer to three attempts":     {waitsFor("ErrImagePull", unreachable), []corev1.Event{failedPull(3, unreachable)}, 59 * time.Second, ""},
		"no answer for a minute":          {waitsFor("RegistryUnavailable", unreachable), []corev1.Event{failedPull(3, unreachable)}, time.Minute, "3 times"},
		"no answer, and no events":        {backOff, nil, time.Minute, "several times"},
		"still pulled":                    {waitsFor("ContainerCreating", ""), nil, time.Hour, ""},
		"not scheduled":                   {&corev1.Pod{}, nil, time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			began := time.Now()
			var p pulls
			events := append(test.events, other...)
			if test.after > 0 {
				g.Expect(p.failed(began, test.pod, nil)).To(BeEmpty(), "the first failure is not enough")
			}
			got := p.failed(began.Add(test.after), test.pod, events)
			if test.want == "" {
				g.Expect(got).To(BeEmpty())
				return
			}
			g.Expect(got).To(Equal("the kubelet of node worker has tried to pull it " + test.want + ", in vain"))
		})
	}
}

// Failures before a success do not count.
func TestPullsBeginAgain(t *testing.T) {
	g := NewWithT(t)
	var p pulls
	began := time.Now()
	g.Expect(p.failed(began, waitsFor("ErrImagePull", unreachable), nil)).To(BeEmpty())
	g.Expect(p.failed(began.Add(50*time.Second), waitsFor("ContainerCreating", ""), nil)).To(BeEmpty())
	g.Expect(p.failed(began.Add(70*time.Second), waitsFor("ErrImagePull", unreachable), nil)).To(BeEmpty())
	g.Expect(p.failed(began.Add(130*time.Second), waitsFor("ErrImagePull", unreachable), nil)).NotTo(BeEmpty())
}
