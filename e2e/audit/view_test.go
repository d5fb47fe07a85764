// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/audit"
)

// Read lists slices, classes and nodes after claims, and pods last. With
// another order, claims could have devices that are not listed yet.
func TestReadKeepsTheOrder(t *testing.T) {
	g := NewWithT(t)
	h := newHistory(local(device("a")))
	c := h.allocate(one("x", result("n1", "a")))
	pod := h.start("n1")
	client := fake.NewClientset(c, &h.Slices[0], &h.Classes[0], &h.Nodes[0], &h.Namespaces[0], pod)
	var order []string
	client.PrependReactor("list", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		list := action.(clienttesting.ListActionImpl)
		g.Expect(list.GetNamespace()).To(BeEmpty(), "of all namespaces")
		g.Expect(list.ListOptions.ResourceVersion).To(BeEmpty(), "the most recent state")
		g.Expect(list.ListOptions.Limit).To(BeZero(), "all of one state")
		order = append(order, action.GetResource().Resource)
		return false, nil, nil
	})
	v, err := audit.Read(t.Context(), client)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(order).To(Equal([]string{"resourceclaims", "resourceslices", "deviceclasses", "nodes", "namespaces", "pods"}))
	g.Expect([]int{len(v.Claims), len(v.Slices), len(v.Classes), len(v.Nodes), len(v.Namespaces), len(v.Pods)}).To(HaveEach(1))
	g.Expect(v.At).To(BeTemporally("~", time.Now(), time.Minute))
}

func TestReadNeedsAll(t *testing.T) {
	for _, resource := range []string{"resourceclaims", "resourceslices", "deviceclasses", "nodes", "namespaces", "pods"} {
		client := fake.NewClientset()
		client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("forbidden to list " + resource)
		})
		_, err := audit.Read(t.Context(), client)
		NewWithT(t).Expect(err).To(MatchError("read the allocations: forbidden to list " + resource))
	}
}

func reading(client kubernetes.Interface) func(context.Context) (audit.View, error) {
	return func(ctx context.Context) (audit.View, error) { return audit.Read(ctx, client) }
}

// Watch continues after a restart of the API server and reports each alarm
// once.
func TestWatchGoesOn(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	h := newHistory(local(device("a")))
	h.put(one("x", result("n1", "a")))
	client := fake.NewClientset(&h.Claims[0])
	views := 0
	client.PrependReactor("list", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		switch views++; views {
		case 1, 3:
			return true, nil, errors.New("connection refused")
		case 4:
			return false, nil, client.Tracker().Add(h.put(one("y", result("n1", "a"))))
		case 6:
			cancel()
		}
		return false, nil, nil
	})
	var reported []audit.Alarm
	err := audit.New(audit.Config{}).Watch(ctx, reading(client), time.Millisecond, func(a audit.Alarm) { reported = append(reported, a) })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(views).To(Equal(6))
	g.Expect(reported).To(ContainElement(audit.Alarm{Rule: audit.DeviceOnce, Text: "device gpu.example.com/n1/a is allocated 2 times, and 2 times as a whole: to ns/x and ns/y"}))
	for i, alarm := range reported {
		g.Expect(reported[:i]).NotTo(ContainElement(alarm), "reported twice")
	}
}

func TestWatchThatSeesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := fake.NewClientset()
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		cancel()
		return true, nil, errors.New("forbidden")
	})
	err := audit.New(audit.Config{}).Watch(ctx, reading(client), time.Millisecond, func(audit.Alarm) {})
	NewWithT(t).Expect(err).To(MatchError("watch allocations: read the allocations: forbidden"))
}

func TestAlarmStandsAlone(t *testing.T) {
	NewWithT(t).Expect(audit.Alarm{Rule: audit.PodReserved, Text: "claim ns/x: pod ns/p runs on node n1, but the claim is not reserved for it"}.String()).To(Equal(
		"claim ns/x: pod ns/p runs on node n1, but the claim is not reserved for it, though the kubelet promises that " +
			"a pod runs only while its claims are reserved for it (KEP-4381; API ResourceClaimStatus.reservedFor; rule pod-reserved)"))
}
