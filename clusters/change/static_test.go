// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

const schedulerYAML = `apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler, namespace: kube-system}
spec:
  containers:
  - command: [kube-scheduler, --feature-gates=DRAConsumableCapacity=false]
    image: registry.k8s.io/kube-scheduler:v1.36.3
    name: kube-scheduler
`

func parse(t *testing.T, text string) *staticpod.Manifest {
	t.Helper()
	m, err := staticpod.Parse([]byte(text))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return m
}

var started = time.Unix(1000, 0)

// schedulerPod returns the static pod as the kubelet reports it when it is
// healthy.
func schedulerPod() *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "kube-scheduler-c-control-plane", Namespace: "kube-system", Annotations: map[string]string{"kubernetes.io/config.source": "file"},
	}}
	pod.Spec.Containers = []corev1.Container{{
		Image: "registry.k8s.io/kube-scheduler:v1.36.3", Command: []string{"kube-scheduler", "--feature-gates=DRAConsumableCapacity=false"},
	}}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(started)}},
	}}
	return pod
}

// kubeletShows returns a kubelet's answer with the given pods.
func kubeletShows(t *testing.T, pods ...*corev1.Pod) fake.Answer {
	t.Helper()
	var list corev1.PodList
	for _, pod := range pods {
		list.Items = append(list.Items, *pod)
	}
	out, err := json.Marshal(list)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return fake.Answer{Args: "exec c-control-plane sh -ec", Has: "127.0.0.1:10250/pods", Stdout: string(out)}
}

func schedulerLease(acquired time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-scheduler", Namespace: "kube-system"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("next"), AcquireTime: &metav1.MicroTime{Time: acquired}},
	}
}

func TestStaticPodIsSettledWhenItsProcessLeads(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*corev1.Pod, *coordinationv1.Lease)
		want   string
	}{
		"it leads":               {func(*corev1.Pod, *coordinationv1.Lease) {}, ""},
		"it is of another image": {func(p *corev1.Pod, _ *coordinationv1.Lease) { p.Spec.Containers[0].Image = "a" }, "its kubelet has not started the pod"},
		"it has another flag":    {func(p *corev1.Pod, _ *coordinationv1.Lease) { p.Spec.Containers[0].Command[1] = "--v=1" }, "its kubelet has not started the pod"},
		"it is terminating":      {func(p *corev1.Pod, _ *coordinationv1.Lease) { p.DeletionTimestamp = ptr.To(metav1.Now()) }, "its kubelet has not started the pod"},
		"it is a mirror pod":     {func(p *corev1.Pod, _ *coordinationv1.Lease) { p.Annotations["kubernetes.io/config.source"] = "api" }, "its kubelet has not started the pod"},
		"it is not ready":        {func(p *corev1.Pod, _ *coordinationv1.Lease) { p.Status.Conditions = nil }, "its pod is not ready"},
		"it crashes": {func(p *corev1.Pod, _ *coordinationv1.Lease) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"}}
		}, "its container waits: CrashLoopBackOff: back-off"},
		"it ended": {func(p *corev1.Pod, _ *coordinationv1.Lease) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2}}
		}, "its container ended with exit code 2"},
		"the previous process led": {func(_ *corev1.Pod, l *coordinationv1.Lease) { l.Spec.AcquireTime.Time = started.Add(-time.Second) }, "its process does not lead"},
		"the lease was released":   {func(_ *corev1.Pod, l *coordinationv1.Lease) { l.Spec.HolderIdentity = ptr.To("") }, "its process does not lead"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			pod, lease := schedulerPod(), schedulerLease(started.Add(time.Second))
			test.change(pod, lease)
			c, _ := newCluster(t, []fake.Answer{kubeletShows(t, pod)}, lease)
			err := (&static{cluster: c, component: skew.Scheduler, manifest: parse(t, schedulerYAML)}).settled(t.Context())
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(test.want))
			}
		})
	}
}

// The previous pod may have the same image and flags.
func TestStaticPodIsOfItsManifest(t *testing.T) {
	g := NewWithT(t)
	s := &static{component: skew.Scheduler, manifest: parse(t, schedulerYAML).WithNewUID()}
	pod := schedulerPod()
	g.Expect(s.isOf(pod)).To(BeFalse())
	pod.UID = s.manifest.UID()
	g.Expect(s.isOf(pod)).To(BeTrue())
}

func TestStaticPodIsReadFromItsManifest(t *testing.T) {
	scheduler := skew.Instance{Component: skew.Scheduler}
	for name, where := range map[string]string{"running": "there", "stopped": "stopped", "interrupted": "parked"} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c, _ := newCluster(t, []fake.Answer{kubeletShows(t, schedulerPod()), {Args: "exec c-control-plane sh -ec", Stdout: where + "\n" + schedulerYAML}}, schedulerLease(started))
			r, err := c.static(t.Context(), skew.Scheduler)
			g.Expect(err).NotTo(HaveOccurred())
			want := of(t, scheduler, "1.36", "DRAConsumableCapacity=false")
			want.Scheduler = skew.KubeScheduler
			g.Expect(r.Same(want)).To(BeTrue(), "%+v", r)
			g.Expect(r.Stopped).To(Equal(name == "stopped"))
			if name == "interrupted" {
				g.Expect(r.Unsettled).To(Equal("a change of it was interrupted"))
			} else {
				g.Expect(r.Unsettled).To(BeEmpty())
			}
		})
	}
}

// The API server itself is queried, because the kubelet may report its pod as
// ready for a while after it has ended.
func TestAPIServerIsSettledWithTheWantedRelease(t *testing.T) {
	for name, test := range map[string]struct {
		version string
		ready   int
		want    string
	}{
		"ready":       {"v1.37.2", http.StatusOK, ""},
		"starting":    {"v1.37.2", http.StatusInternalServerError, "it is not ready: "},
		"the old one": {"v1.36.3", http.StatusOK, "it is of v1.36.3, not v1.37.2"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/readyz" {
					w.WriteHeader(test.ready)
				}
				_ = json.NewEncoder(w).Encode(map[string]string{"gitVersion": test.version})
			}))
			t.Cleanup(server.Close)
			client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
			g.Expect(err).NotTo(HaveOccurred())
			m := parse(t, strings.ReplaceAll(schedulerYAML, "v1.36.3", "v1.37.2"))
			err = (&static{cluster: &cluster{client: client}, component: skew.APIServer, manifest: m}).answers(t.Context())
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			}
		})
	}
}

// The process that held the lease has ended. The next process need not wait
// until the lease expires.
func TestReleaseOnlyTakesTheLeaseOfAnEndedProcess(t *testing.T) {
	swap := time.Unix(2000, 0)
	for name, test := range map[string]struct {
		acquired time.Time
		want     string
	}{
		"acquired before": {swap.Add(-time.Minute), ""},
		"acquired since":  {swap.Add(time.Second), "next"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c, _ := newCluster(t, nil, schedulerLease(test.acquired))
			(&static{cluster: c, component: skew.Scheduler}).release(t.Context(), swap)
			lease, err := c.client.CoordinationV1().Leases("kube-system").Get(t.Context(), "kube-scheduler", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(*lease.Spec.HolderIdentity).To(Equal(test.want))
		})
	}
}

// Only restarts of the new pod's container are counted.
func TestStaticPodCrashes(t *testing.T) {
	for log, crashes := range map[string]bool{"": false, "0": false, "2": false, "3": true} {
		t.Run(log, func(t *testing.T) {
			g := NewWithT(t)
			c, f := newCluster(t, []fake.Answer{
				{Args: "exec", Has: "flock", Stdout: "swapped\n"},
				{Args: "exec c-control-plane", Stdout: log + "\n"},
			})
			s := &static{cluster: c, component: skew.APIServer, manifest: parse(t, schedulerYAML)}
			g.Expect(s.crashes(t.Context())).To(Succeed(), "the pod was not replaced")
			g.Expect(f.Lines()).To(BeEmpty())
			g.Expect(s.put(t.Context(), nil)).To(Succeed())
			err := s.crashes(t.Context())
			g.Expect(f.Lines()[1]).To(HaveSuffix(" sh / kube-apiserver " + string(s.manifest.UID())))
			if crashes {
				g.Expect(err).To(MatchError("its container has ended 3 times"))
			} else {
				g.Expect(err).NotTo(HaveOccurred())
			}
		})
	}
}
