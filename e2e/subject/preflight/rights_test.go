// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// A run does not start if specs would fail for another reason than the driver. What
// it judges, and what can change, does not keep it from starting.
func TestBlocking(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*cluster)
		file   string
		blocks bool
	}{
		"right":           {func(*cluster) {}, upstreamFile, false},
		"absent":          {func(c *cluster) { c.Objects.Slices = nil }, upstreamFile, true},
		"an invalid pool": {func(c *cluster) { c.Objects.Slices[0].Spec.Pool.ResourceSliceCount = 2 }, upstreamFile, false},
		"only invalid pools": {func(c *cluster) {
			c.Objects.Slices[0].Spec.Pool.ResourceSliceCount, c.Objects.Slices[1].Spec.Pool.ResourceSliceCount = 2, 2
		}, upstreamFile, false},
		"devices in use":      {func(c *cluster) { c.allocateAll() }, upstreamFile, false},
		"more than there are": {func(*cluster) {}, strings.Replace(upstreamFile, "test-devices", "test-devices, count: 7", 1), true},
		"no such class":       {func(c *cluster) { c.Objects.Classes = nil }, upstreamFile, true},
		"cordoned nodes": {func(c *cluster) {
			c.Objects.Nodes[0].Spec.Unschedulable, c.Objects.Nodes[1].Spec.Unschedulable = true, true
		}, upstreamFile, true},
		"missing rights":          {func(c *cluster) { c.denied = []string{"create pods/"} }, upstreamFile, true},
		"missing optional rights": {func(c *cluster) { c.denied = []string{"get nodes/proxy"} }, upstreamFile, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := clusterOf(t, "upstream", "worker-1", "worker-2")
			test.change(c)
			found, err := Check(t.Context(), c.start(), []*driverfile.Driver{decode(t, test.file)}, Options{})
			g.Expect(err).NotTo(HaveOccurred())
			if blocking := Blocking(found); test.blocks {
				g.Expect(blocking).NotTo(BeEmpty())
			} else {
				g.Expect(blocking).To(BeEmpty())
			}
		})
	}
}

func TestRights(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.denied = []string{"delete pods/", "get nodes/proxy"}
	g.Expect(c.check(t, decode(t, upstreamFile+"allow: {restart: true}\n"), Options{Namespace: ""})).To(ConsistOf(
		`problem rights : not allowed to delete pods, which a run needs to create pods that use devices, make the kubelet sync them, and delete them: ask for the rights that "draconform rbac" prints`,
		`warning rights : not allowed to get nodes/proxy, which a run needs to read from the kubelet how many claims are prepared: ask for the rights that "draconform rbac" prints`))
	// In a given namespace, the namespace of the driver is another one.
	c.denied = []string{"delete pods/"}
	g.Expect(c.check(t, decode(t, upstreamFile+"allow: {restart: true}\n"), Options{Namespace: "team"})).To(ContainElements(
		ContainSubstring("not allowed to delete pods in namespace team"), ContainSubstring("not allowed to delete pods in namespace dra")))
	// Only what the file allows is needed.
	c.denied = []string{"patch daemonsets/"}
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(BeEmpty())
}

func TestNamespace(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	o := Options{Namespace: "conformance"}
	g.Expect(c.check(t, decode(t, upstreamFile), o)).To(ConsistOf("problem namespace : namespace conformance does not exist: create it, or leave out --namespace so that a run creates one"))

	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "conformance", Name: "small"}, Status: corev1.ResourceQuotaStatus{
		Hard: corev1.ResourceList{"pods": resource.MustParse("12"), "count/resourceclaims.resource.k8s.io": resource.MustParse("10"), "cpu": resource.MustParse("1")},
		Used: corev1.ResourceList{"pods": resource.MustParse("5")},
	}}
	c.more = append(c.more, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conformance"}}, quota)
	g.Expect(c.check(t, decode(t, upstreamFile+"pods: {imagePullSecrets: [registry], runtimeClassName: gpu}\n"), o)).To(ConsistOf(
		"problem pod pods.runtimeClassName: RuntimeClass gpu does not exist",
		"problem image pods.imagePullSecrets: namespace conformance has no Secret registry to pull the image with",
		"problem quota : ResourceQuota small of namespace conformance has 7 left of pods, specs have up to 10 at the same time: raise it, or use another namespace"))
}

// Admission decides about the pod: the sentence has its reason.
func TestPodIsRejected(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.more = append(c.more, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conformance"}})
	client := c.start()
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		if ptr.Deref(pod.Spec.Containers[0].SecurityContext.Privileged, false) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, pod.Name, errors.New(`violates PodSecurity "restricted:latest": privileged`))
		}
		return true, pod, nil
	})
	for content, want := range map[string]string{
		upstreamFile: "",
		upstreamFile + "pods: {securityContext: {privileged: true}}\n": `a pod for exclusive devices of driver test-driver.cdi.k8s.io cannot be created in namespace conformance: create pod try: pods "try" is forbidden: violates PodSecurity "restricted:latest": privileged; change pods.securityContext of the driver file, or use a namespace whose pod security level permits it`,
	} {
		found, err := Check(t.Context(), client, []*driverfile.Driver{decode(t, content)}, Options{Namespace: "conformance"})
		g.Expect(err).NotTo(HaveOccurred())
		rejected := ""
		for _, f := range found {
			if f.Check == "pod" && f.Result == Problem {
				rejected = f.Message
			}
		}
		g.Expect(rejected).To(Equal(want))
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string // of a finding
		fail string // of an error
	}{
		"no rights": {
			err:  apierrors.NewForbidden(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}, "", errors.New("no rights")),
			want: "problem read : cannot list ResourceSlices, so that nothing about devices was checked: resourceslices.resource.k8s.io is forbidden: no rights",
		},
		"no DRA": {
			err:  apierrors.NewNotFound(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}, ""),
			want: "problem read : the API server does not serve resource.k8s.io/v1: it needs Kubernetes 1.34 or newer, with Dynamic Resource Allocation enabled",
		},
		"a lost API server": {err: errors.New("connection refused"), fail: "list ResourceSlices: connection refused"},
		"a timeout":         {err: context.DeadlineExceeded, fail: "list ResourceSlices: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := clusterOf(t, "upstream")
			client := c.start()
			client.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
			found, err := Check(t.Context(), client, []*driverfile.Driver{decode(t, upstreamFile)}, Options{})
			if test.fail != "" {
				g.Expect(err).To(MatchError(test.fail))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(Failed(found)).To(BeTrue())
			f := found[0]
			g.Expect(string(f.Result) + " " + f.Check + " " + f.Field + ": " + f.Message).To(Equal(test.want))
		})
	}
}
