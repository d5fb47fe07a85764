// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/audit"
)

// publish creates or updates a slice of a node's pool and returns when it is
// stored.
func publish(t *testing.T, client kubernetes.Interface, name, node string, offered ...resourceapi.Device) {
	t.Helper()
	s := slice(node, onNode(node), makeDevices(offered...))
	s.Name, s.UID = name, types.UID(name)
	_, err := client.ResourceV1().ResourceSlices().Create(t.Context(), &s, metav1.CreateOptions{})
	if err != nil {
		_, err = client.ResourceV1().ResourceSlices().Update(t.Context(), &s, metav1.UpdateOptions{})
	}
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func allocate(t *testing.T, client kubernetes.Interface, c resourceapi.ResourceClaim) {
	t.Helper()
	_, err := client.ResourceV1().ResourceClaims("ns").Create(t.Context(), &c, metav1.CreateOptions{})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func read(t *testing.T, f *audit.Follower) audit.View {
	t.Helper()
	v, err := f.Read(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return v
}

// offeredIn returns the names of the devices in the slices of each state.
func offeredIn(states [][]*resourceapi.ResourceSlice) [][]string {
	var all [][]string
	for _, state := range states {
		names := []string{}
		for _, s := range state {
			for _, d := range s.Spec.Devices {
				names = append(names, d.Name)
			}
		}
		all = append(all, names)
	}
	return all
}

// following returns a Follower after its watches have caught up.
func following(t *testing.T, client kubernetes.Interface, drivers ...string) *audit.Follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := audit.Follow(ctx, client, drivers)
	t.Cleanup(func() {
		cancel()
		f.Wait(context.Background())
	})
	NewWithT(t).Eventually(func() bool { return read(t, f).Seamless }).WithTimeout(time.Minute).Should(BeTrue())
	return f
}

func TestFollowerKnowsAllStatesBetweenTwoViews(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	publish(t, client, "one", "n1", device("a"))
	f := following(t, client)
	v := read(t, f)
	g.Expect([]any{v.Offered, v.Earlier}).To(HaveEach(BeEmpty()), "nothing happened")

	publish(t, client, "one", "n1", device("b"))
	publish(t, client, "two", "n2", device("c"))
	publish(t, client, "one", "n1", device("d"))
	allocate(t, client, one("x", result("n1", "a")))
	g.Expect(client.ResourceV1().ResourceClaims("ns").Delete(t.Context(), "x", metav1.DeleteOptions{})).To(Succeed())
	allocate(t, client, one("y", result("n1", "a")))
	v = read(t, f)
	g.Expect(v.Seamless).To(BeTrue())
	g.Expect(offeredIn(v.Offered)).To(Equal([][]string{{"b"}, {"b", "c"}}), "and then what the view has")
	g.Expect(v.Slices).To(HaveLen(2))
	g.Expect(v.Earlier).To(HaveExactElements(HaveLen(1), BeEmpty()), "with x and without, and then what the view has")
	g.Expect(v.Claims).To(HaveLen(1))
	v = read(t, f)
	g.Expect([]any{v.Offered, v.Earlier}).To(HaveEach(BeEmpty()), "each state is reported once")
}

// A node may have a label for less time than passes between two views.
func TestFollowerKnowsLabelsBetweenTwoViews(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	nodes := client.CoreV1().Nodes()
	f := following(t, client)
	g.Eventually(func() bool { return read(t, f).SeamlessNodes }).WithTimeout(time.Minute).Should(BeTrue())

	n := node("n1", "0")
	_, err := nodes.Create(t.Context(), &n, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for _, change := range []func(){
		func() { n.Status.Phase = corev1.NodeRunning },
		func() { n.Labels = map[string]string{"host": "1"} },
	} {
		change()
		_, err := nodes.Update(t.Context(), &n, metav1.UpdateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	v := read(t, f)
	g.Expect(v.SeamlessNodes).To(BeTrue())
	var hosts []string
	for _, state := range v.Labelled {
		for _, n := range state {
			hosts = append(hosts, n.Labels["host"])
		}
	}
	g.Expect(hosts).To(Equal([]string{"0"}), "and then what the view has")
}

// Devices of other drivers are not in views, and their changes cause no gap.
func TestFollowerFollowsDriversOfItsOwn(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	publish(t, client, "one", "n1", device("a"))
	f := following(t, client, "another.example.com")
	publish(t, client, "one", "n1", device("b"))
	allocate(t, client, one("x", result("n1", "a")))
	s := slice("n2", onNode("n2"), makeDevices(device("c")), of("another.example.com"))
	for _, s.Name = range []string{"two", "three"} {
		_, err := client.ResourceV1().ResourceSlices().Create(t.Context(), s.DeepCopy(), metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	v := read(t, f)
	g.Expect(v.Seamless).To(BeTrue())
	g.Expect(v.Earlier).To(BeEmpty())
	g.Expect(offeredIn(v.Offered)).To(ConsistOf(ConsistOf("c")), "without the other driver")
	g.Expect(v.Slices).To(HaveLen(2), "of its driver")
	g.Expect(v.Claims).To(HaveLen(1))
}
