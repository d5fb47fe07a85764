// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

func TestFaultsOfPrepare(t *testing.T) {
	// Each case returns whether the driver misbehaves.
	for fault, misbehaves := range map[string]func(*config) bool{
		"answers-only-first-claim": func(c *config) bool {
			got, err := c.prepare(t.Context(), "one", "two")
			return err == nil && got["uid-one"] != nil && got["uid-two"] == nil
		},
		"fails-again-after-failure": func(c *config) bool {
			_, before := c.prepare(t.Context(), "one")
			_, _ = c.prepare(t.Context(), "unallocated")
			_, after := c.prepare(t.Context(), "one")
			return before == nil && after != nil
		},
		"stays-busy-after-cancel": func(c *config) bool {
			_, before := c.prepare(t.Context(), "one")
			canceled, cancel := context.WithCancel(t.Context())
			cancel()
			_, _ = c.prepare(canceled, "one")
			_, after := c.prepare(t.Context(), "one")
			return before == nil && status.Code(after) == codes.Aborted
		},
		"prepares-unallocated-claims":   func(c *config) bool { return c.preparesOnly("unallocated") },
		"prepares-deleted-claims":       func(c *config) bool { return c.preparesOnly("deleted") },
		"prepares-claims-of-other-uids": func(c *config) bool { return c.preparesOnly("replaced") },
		"returns-other-devices-again": func(c *config) bool {
			first, _ := c.prepare(t.Context(), "one")
			second, _ := c.prepare(t.Context(), "one")
			return len(first["uid-one"].Devices[0].CdiDeviceIds) == 2 && len(second["uid-one"].Devices[0].CdiDeviceIds) == 1
		},
		"names-another-pool": func(c *config) bool {
			got, _ := c.prepare(t.Context(), "one")
			return got["uid-one"].Devices[0].PoolName != "node"
		},
		"gives-each-request-all-devices": func(c *config) bool {
			got, _ := c.prepare(t.Context(), "one")
			return slices.Equal(got["uid-one"].Devices[1].RequestNames, []string{"a", "b"})
		},
		"shows-devices-of-other-claims": func(c *config) bool {
			first, _ := c.prepare(t.Context(), "one")
			second, _ := c.prepare(t.Context(), "two")
			return !slices.Contains(first["uid-one"].Devices[0].CdiDeviceIds, "x=twoa") && slices.Contains(second["uid-two"].Devices[0].CdiDeviceIds, "x=onea")
		},
		"mixes-up-parallel-calls": func(c *config) bool {
			alone, _ := c.prepare(t.Context(), "one")
			return alone["uid-one"].Devices[0].DeviceName == "one-a" && c.mixesUp()
		},
		"prepares-first-request-only": func(c *config) bool {
			got, _ := c.prepare(t.Context(), "one")
			return len(got["uid-one"].Devices) == 1 && got["uid-one"].Devices[0].DeviceName == "one-a"
		},
		"remembers-rejections": func(c *config) bool {
			_, first := c.prepare(t.Context(), "one", "unallocated")
			_, second := c.prepare(t.Context(), "unallocated")
			_, other := c.prepare(t.Context(), "one")
			return first != nil && strings.HasPrefix(second.Error(), "it has failed before: ") && other == nil
		},
		"rejects-calls-of-older-services": func(c *config) bool {
			_, older := c.call(t.Context(), "/v1beta1.DRAPlugin/NodePrepareResources", nil)
			_, newest := c.prepare(t.Context(), "one")
			return status.Code(older) == codes.Unimplemented && newest == nil
		},
	} {
		t.Run(fault, func(t *testing.T) { NewWithT(t).Expect(misbehaves(broken(t, fault))).To(BeTrue()) })
	}
}

// preparesOnly reports whether the plugin prepares a claim that it must reject,
// and still rejects other ones.
func (c *config) preparesOnly(name string) bool {
	got, err := c.prepare(context.Background(), "one", name)
	if err != nil || got["uid-one"] == nil || got["uid-"+name] == nil {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(maps.Keys(rejected)), func(other string) bool {
		_, err := c.prepare(context.Background(), other)
		return other != name && err == nil
	})
}

// mixesUp reports whether one of two calls at the same time gets the devices of
// the other.
func (c *config) mixesUp() bool {
	var calls sync.WaitGroup
	got := make([]map[string]*drapb.NodePrepareResourceResponse, 2)
	for i, name := range []string{"one", "two"} {
		calls.Go(func() { got[i], _ = c.prepare(context.Background(), name) })
	}
	calls.Wait()
	return got[0]["uid-one"].Devices[0].DeviceName == got[1]["uid-two"].Devices[0].DeviceName
}

func TestDevicesOfOtherDriversAreReturned(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "returns-devices-of-all-drivers")
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one"}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "a", Driver: "driver.example.com", Pool: "node", Device: "one-a"}, {Request: "other/first", Driver: "nic.example.com", Pool: "nics", Device: "nic-0"},
	}}}
	c.client = fake.NewClientset(claim)
	got, err := c.prepare(t.Context(), "one")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got["uid-one"].Devices).To(HaveLen(3))
	last := got["uid-one"].Devices[2]
	g.Expect([]string{last.PoolName, last.DeviceName, last.RequestNames[0]}).To(Equal([]string{"nics", "nic-0", "other"}))
}

func TestSubrequestsAreNamed(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "names-subrequests")
	before, err := c.prepare(t.Context(), "two")
	g.Expect(err).To(HaveOccurred(), "there is no such claim")
	g.Expect(before).To(BeNil())
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one"}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "a/first", Driver: "driver.example.com", Pool: "node", Device: "one-a"}, {Request: "b", Driver: "driver.example.com", Pool: "node", Device: "one-b"},
	}}}
	c.client = fake.NewClientset(claim)
	got, err := c.prepare(t.Context(), "one")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got["uid-one"].Devices).To(HaveExactElements(HaveField("RequestNames", []string{"a/first"}), HaveField("RequestNames", []string{"b"})))
}

// Each claim has one device, whose name is that of the namespace.
func TestDevicesOfEarlierClaimsAreReturned(t *testing.T) {
	handler := func(_ context.Context, request any) (any, error) {
		claim := request.(*drapb.NodePrepareResourcesRequest).Claims[0]
		return &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{
			claim.Uid: {Devices: []*drapb.Device{{DeviceName: claim.Namespace}}},
		}}, nil
	}
	for name, test := range map[string]struct {
		fault string
		then  *drapb.Claim
		want  string
	}{
		"a namesake":      {"remembers-names", &drapb.Claim{Namespace: "b", Name: "claim", Uid: "2"}, "a"},
		"another name":    {"remembers-names", &drapb.Claim{Namespace: "b", Name: "other", Uid: "1"}, "b"},
		"the same claim":  {"remembers-allocations", &drapb.Claim{Namespace: "b", Name: "claim", Uid: "1"}, "a"},
		"only a namesake": {"remembers-allocations", &drapb.Claim{Namespace: "b", Name: "claim", Uid: "2"}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := broken(t, test.fault)
			var device string
			for _, claim := range []*drapb.Claim{{Namespace: "a", Name: "claim", Uid: "1"}, test.then} {
				got, err := c.calls[0](t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{claim}}, nil, handler)
				g.Expect(err).NotTo(HaveOccurred())
				device = got.(*drapb.NodePrepareResourcesResponse).Claims[claim.Uid].Devices[0].DeviceName
			}
			g.Expect(device).To(Equal(test.want))
		})
	}
}

func TestAdminAccessIsRefused(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "refuses-admin-access")
	claim := func(name string, adminAccess bool) *resourceapi.ResourceClaim {
		claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{AdminAccess: &adminAccess}}}}
		return claim
	}
	c.client = fake.NewClientset(claim("one", false), claim("two", true))
	_, err := c.prepare(t.Context(), "one")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.prepare(t.Context(), "two")
	g.Expect(err).To(MatchError("claim two: admin access is not supported"))
}
